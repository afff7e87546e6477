/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exporter: the page after an answer of the plugin, and requests of anybody. */
#include "cs_test.h"

#include "exporter/http.h"
#include "exporter/page.h"

/* ---- the page ------------------------------------------------------------ */

static char *page_of(const char *json)
{
	struct json_object *o = json ? json_tokener_parse(json) : NULL;
	char *page;

	assert_true(!json || o);
	page = cs_page(o);
	assert_non_null(page);
	json_object_put(o);
	return page;
}

static void nobody_answers(void **state)
{
	char *page = page_of(NULL);

	(void)state;
	assert_string_equal(
		page,
		"# TYPE cosched_up gauge\n"
		"# HELP cosched_up 1 when the plugin in slurmctld answers.\n"
		"cosched_up 0\n"
		"# EOF\n");
	free(page);
}

static const char status[] =
	"{\"version\":\"0.1.0\",\"build\":\"0.1.0+g1\",\"slurm\":\"22.05.8\",\"mode\":\"shadow\","
	"\"mode_set\":\"act\",\"why\":\"watchdog\",\"policy\":\"adaptive\","
	"\"select_live\":true,\"gate\":\"off\",\"stock_backfill\":true,"
	"\"site_warnings\":[\"a\",\"b\"],\"cycles\":7,\"cycle_last_us\":1500000,"
	"\"cycle_max_us\":42,\"locked_us\":12000003,"
	"\"counts\":{\"starts_refused\":3,\"gate_lapses\":0},"
	"\"state\":\"paused\",\"cycle_work_max_us\":40,"
	"\"fallbacks\":{\"total\":5,\"in_a_row\":2,\"return_in_s\":61},"
	"\"engine\":{\"waiting\":5,\"running\":2,\"groups\":1,\"cores\":8,"
	"\"cores_powered_down\":4,\"queue\":["
	"{\"partition\":\"main,short\",\"user\":\"a\\\"b\",\"reason\":\"Priority\",\"jobs\":4},"
	"{\"partition\":\"main\",\"user\":\"\",\"reason\":\"None\",\"jobs\":1},"
	"{\"partition\":\"main\",\"user\":\"\",\"reason\":\"None\"}],"
	"\"gpus_held\":5,\"gpus_free\":3,\"gpus_stranded\":2,"
	"\"gpus_fragment_thousandths\":1250,\"gpu_jobs_waiting\":4,"
	"\"cores_used\":6,\"pairs\":9,\"reservations\":4,"
	"\"promises_kept\":12,\"promises_late\":1,"
	"\"estimated\":7,\"estimates_judged\":70,\"estimates_outside\":8,"
	"\"estimate_error_p50_us\":1500000,\"estimate_late_p50_us\":-1250000,"
	"\"last\":{\"look_us\":10,\"apply_us\":2000001}}}";

static void known_answer(void **state)
{
	static const char *const lines[] = {
		"\ncosched_up 1\n",
		"# TYPE cosched_build info\n",
		"\ncosched_build_info{version=\"0.1.0\",build=\"0.1.0+g1\",slurm=\"22.05.8\",policy=\"adaptive\"} 1\n",
		"\ncosched_degraded 1\n",
		"\ncosched_troubles 1\n",
		"\ncosched_site_warnings 2\n",
		"\ncosched_stock_backfill 1\n",
		"\ncosched_engine_ready 1\n",
		"\ncosched_mode{state=\"off\"} 0\ncosched_mode{state=\"shadow\"} 1\ncosched_mode{state=\"act\"} 0\n",
		"\ncosched_mode_set{state=\"act\"} 1\n",
		"\ncosched_gate{state=\"off\"} 1\n",
		"\ncosched_state{state=\"paused\"} 1\n",
		"\ncosched_state{state=\"ready\"} 0\n",
		"\ncosched_fallbacks_total 5\n",
		"\ncosched_fallbacks_in_a_row 2\n",
		"\ncosched_return_seconds 61\n",
		"\ncosched_cycle_work_max_seconds 0.000040\n",
		"# TYPE cosched_cycles counter\n",
		"\ncosched_cycles_total 7\n",
		"# UNIT cosched_cycle_last_seconds seconds\n",
		"\ncosched_cycle_last_seconds 1.500000\n",
		"\ncosched_cycle_max_seconds 0.000042\n",
		"\ncosched_locked_seconds_total 12.000003\n",
		"\ncosched_starts_refused_total 3\n",
		"\ncosched_gate_lapses_total 0\n",
		"\ncosched_jobs_waiting 5\n",
		"\ncosched_jobs_running 2\n",
		"\ncosched_groups 1\n",
		"\ncosched_promised_jobs 4\n",
		"\ncosched_cores 8\n",
		"\ncosched_cores_powered_down 4\n",
		"# TYPE cosched_queue_jobs gauge\n",
		"\ncosched_queue_jobs{partition=\"main,short\",user=\"a\\\"b\",reason=\"Priority\"} 4\n"
		"cosched_queue_jobs{partition=\"main\",user=\"\",reason=\"None\"} 1\n# ",
		"\ncosched_cores_used 6\n",
		"\ncosched_gpus_held 5\n",
		"\ncosched_gpus_free 3\n",
		"\ncosched_gpus_stranded 2\n",
		"\ncosched_gpus_fragment 1.250\n",
		"\ncosched_gpu_jobs_waiting 4\n",
		"\ncosched_pairs_total 9\n",
		"\ncosched_promises_kept_total 12\n",
		"\ncosched_estimated_jobs 7\n",
		"\ncosched_estimates_judged_total 70\n",
		"\ncosched_estimates_outside_total 8\n",
		"\ncosched_estimate_error_median_seconds 1.500000\n",
		"\ncosched_estimate_late_median_seconds -1.250000\n",
		"# TYPE cosched_promises_broken counter\n",
		"\ncosched_promises_broken_total{promise=\"start\"} 1\n",
		"\ncosched_cycle_part_seconds{part=\"look\"} 0.000010\ncosched_cycle_part_seconds{part=\"apply\"} 2.000001\n",
	};
	char *page = page_of(status);

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_contains(page, lines[i]);
	assert_null(strstr(page, "cosched_jobs_suspended"));
	assert_null(strstr(page, "part_max"));
	assert_null(
		strstr(page, "promise=\"slowdown\"")); /* it does not learn */
	free(page);
}

/* With learn: both kinds of promise are one family. */
static void promises_of_two_kinds(void **state)
{
	char *page = page_of(
		"{\"engine\":{\"promises_late\":2,\"promises_broken\":3}}");

	(void)state;
	assert_contains(
		page,
		"\ncosched_promises_broken_total{promise=\"start\"} 2\n"
		"cosched_promises_broken_total{promise=\"slowdown\"} 3\n");
	free(page);
}

/* What is no number, or a negative one, is left out; labels are escaped. */
static void wrong_kinds(void **state)
{
	char *page = page_of(
		"{\"version\":\"a\\\"b\\\\c\\nd\\u0001\\u00e4\",\"slurm\":5,"
		"\"cycles\":\"7\",\"cycle_last_us\":-1,\"locked_us\":1.5,"
		"\"counts\":[1],\"engine\":\"starting\",\"mode\":null,"
		"\"site_warnings\":{}}");

	(void)state;
	assert_contains(
		page,
		"{version=\"a\\\"b\\\\c\\nd???\",build=\"\",slurm=\"\",policy=\"\"} 1\n");
	assert_contains(page, "\ncosched_engine_ready 0\n");
	assert_contains(page, "\ncosched_site_warnings 0\n");
	assert_null(strstr(page, "cycle"));
	assert_null(strstr(page, "locked"));
	assert_null(strstr(page, "cosched_mode"));
	free(page);
}

/*
 * The rules of the format: a family's TYPE, UNIT and HELP stand before its samples, no
 * family comes twice, a counter's sample ends in _total, an info's in _info, a unit is
 * the end of the name, and the last line is # EOF.
 */
static void check_line(const char *line, char *family, char *kind)
{
	char name[128], rest[512];
	size_t n;

	if (sscanf(line, "# TYPE %127s %15s", name, rest) == 2) {
		strcpy(family, name);
		snprintf(kind, 16, "%.15s", rest);
	} else if (sscanf(line, "# UNIT %127s %511s", name, rest) == 2) {
		assert_string_equal(name, family);
		assert_true(strlen(name) > strlen(rest));
		assert_string_equal(name + strlen(name) - strlen(rest), rest);
	} else if (sscanf(line, "# HELP %127s %511[^\n]", name, rest) == 2) {
		assert_string_equal(name, family);
	} else {
		n = strspn(line, "abcdefghijklmnopqrstuvwxyz_");
		snprintf(rest, sizeof(rest), "%s%s", family,
			 !strcmp(kind, "counter") ? "_total"
			 : !strcmp(kind, "info")  ? "_info"
						  : "");
		assert_int_equal(n, strlen(rest));
		assert_memory_equal(line, rest, n);
		assert_true(line[n] == '{' || line[n] == ' ');
	}
}

static void the_format(void **state)
{
	char *page = page_of(status), *line, *rest;
	char family[128] = "", kind[16] = "", type[160];
	int families = 0;

	(void)state;
	assert_string_equal(page + strlen(page) - 6, "# EOF\n");
	for (line = strtok_r(page, "\n", &rest); strcmp(line, "# EOF");
	     line = strtok_r(NULL, "\n", &rest)) {
		check_line(line, family, kind);
		if (strncmp(line, "# TYPE", 6))
			continue;
		families++;
		snprintf(type, sizeof(type), "# TYPE %s ", family);
		for (const char *l = rest; l && *l;
		     l = strchr(l, '\n') ? strchr(l, '\n') + 1 : NULL)
			assert_true(strncmp(l, type, strlen(type)));
	}
	assert_true(families > 20);
	free(page);
}

/* ---- requests ------------------------------------------------------------ */

struct row {
	int status;
	const char *text;
};

static const struct row rows[] = {
	{ 200, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n" },
	{ 200, "GET / HTTP/1.1\r\nhost:\r\n\r\n" },
	{ 200, "GET /metrics?x=/y HTTP/1.1\nHost: a\n\n" },
	{ 200, "GET /metrics HTTP/1.0\r\n\r\n" },
	{ 200, "HEAD /metrics HTTP/1.0\r\nA: \t b\r\n\r\nbody" },
	{ 200, "GET HTTP://h:1/metrics HTTP/1.1\r\nHost: h\r\n\r\n" },
	{ 404, "GET /metric HTTP/1.0\r\n\r\n" },
	{ 404, "POST /../metrics HTTP/1.0\r\n\r\n" },
	{ 405, "POST /metrics HTTP/1.0\r\n\r\n" },
	{ 405, "get / HTTP/1.0\r\n\r\n" },
	{ 400, "GET /metrics HTTP/1.1\r\n\r\n" },
	{ 400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" },
	{ 400, "GET /metrics\r\n\r\n" },
	{ 400, "GET  / HTTP/1.0\r\n\r\n" },
	{ 400, "GET / HTTP/2.0\r\n\r\n" },
	{ 400, "GET metrics HTTP/1.0\r\n\r\n" },
	{ 400, "GET http://host HTTP/1.0\r\n\r\n" },
	{ 400, "GET / HTTP/1.0\r\nA b\r\n\r\n" },
	{ 400, "GET / HTTP/1.0\r\nA : b\r\n\r\n" },
	{ 400, "GET / HTTP/1.0\r\nA: b\r\n c\r\n\r\n" },
	{ 400, "GET / HTTP/1.0\r\nA: b\rc\r\n\r\n" },
	{ 400, "G\001" },
	{ 400, "\r\n\r\n" },
	{ 400, " / HTTP/1.0\r\n\r\n" },
	{ 0, "" },
	{ 0, "GET / HTTP/1.0\r\n" },
	{ 0, "GET / HTTP/1.0\r\n\r" },
};

static void known_requests(void **state)
{
	struct cs_http_request r;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int got = cs_http_read(rows[i].text, strlen(rows[i].text), &r);

		if (got != rows[i].status)
			fail_msg("%d, expected %d: %s", got, rows[i].status,
				 rows[i].text);
		assert_int_equal(r.head, !strncmp(rows[i].text, "HEAD", 4));
	}
	cs_http_read(rows[1].text, strlen(rows[1].text), &r);
	assert_int_equal(r.path, CS_HTTP_ROOT);
	cs_http_read(rows[2].text, strlen(rows[2].text), &r);
	assert_int_equal(r.path, CS_HTTP_METRICS);
	assert_int_equal(cs_http_read("GET\0", 4, &r), 400);
}

static void a_head_too_long(void **state)
{
	static char text[CS_HTTP_HEAD_MAX + 10];
	struct cs_http_request r;
	int n = snprintf(text, sizeof(text), "GET / HTTP/1.0\r\nA: ");

	(void)state;
	memset(text + n, 'a', sizeof(text) - (size_t)n);
	assert_int_equal(cs_http_read(text, CS_HTTP_HEAD_MAX - 1, &r), 0);
	assert_int_equal(cs_http_read(text, CS_HTTP_HEAD_MAX, &r), 431);
	memcpy(text + CS_HTTP_HEAD_MAX - 4, "\r\n\r\n", 4);
	assert_int_equal(cs_http_read(text, CS_HTTP_HEAD_MAX, &r), 200);
	memcpy(text + CS_HTTP_HEAD_MAX - 4, "a\r\n\r\n", 5);
	assert_int_equal(cs_http_read(text, CS_HTTP_HEAD_MAX + 1, &r), 431);
}

/* A request of the table, some bytes of it others, or nothing but random bytes. */
static size_t draw(uint64_t *seed, char *text)
{
	const char *from =
		rows[cs_test_draw(seed, sizeof(rows) / sizeof(rows[0]))].text;
	size_t n = strlen(from);

	memcpy(text, from, n);
	for (uint64_t k = cs_test_draw(seed, 4); k && n; k--)
		text[cs_test_draw(seed, n)] = (char)cs_test_draw(seed, 256);
	if (cs_test_draw(seed, 3))
		return n;
	n = cs_test_draw(seed, 200);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)cs_test_draw(seed, 256);
	return n;
}

/*
 * Random bytes, and requests with random bytes in them, each in memory of its own size,
 * so that a sanitizer sees a read too far: the status is one of those named, and stays
 * when more bytes come.
 */
static void random_bytes(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t k = cs_test_worlds(20000); k; k--) {
		char text[256];
		size_t n = draw(&seed, text);
		int before = 0;

		for (size_t i = 0; i <= n; i++) {
			struct cs_http_request r;
			char *copy = malloc(i ? i : 1);
			int got;

			assert_non_null(copy);
			memcpy(copy, text, i);
			got = cs_http_read(copy, i, &r);
			free(copy);
			assert_true(!got || got == 200 || got == 400 ||
				    got == 404 || got == 405);
			assert_true(!before || got == before);
			before = got;
		}
	}
}

static void answers(void **state)
{
	size_t n;
	char *text = cs_http_answer(405, "a/b", "four", false, &n);

	(void)state;
	assert_int_equal(n, strlen(text));
	assert_string_equal(text, "HTTP/1.1 405 Method Not Allowed\r\n"
				  "Content-Type: a/b\r\n"
				  "Content-Length: 4\r\n"
				  "Cache-Control: no-store\r\n"
				  "Allow: GET, HEAD\r\n"
				  "Connection: close\r\n\r\nfour");
	free(text);
	text = cs_http_answer(200, "a/b", "four", true, &n);
	assert_contains(text, "Content-Length: 4\r\n");
	assert_string_equal(text + n - 4, "\r\n\r\n");
	free(text);
}

/* With an argument: the page of known_answer(), for check_exporter.sh. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_answers),
		cmocka_unit_test(known_answer),
		cmocka_unit_test(promises_of_two_kinds),
		cmocka_unit_test(wrong_kinds),
		cmocka_unit_test(the_format),
		cmocka_unit_test(known_requests),
		cmocka_unit_test(a_head_too_long),
		cmocka_unit_test(random_bytes),
		cmocka_unit_test(answers),
	};

	(void)argv;
	if (argc > 1) {
		char *page = page_of(status);

		fputs(page, stdout);
		free(page);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
