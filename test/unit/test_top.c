/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The picture of cosched top: bars, heat, who shares, the queue; hostile answers. */
#include "cs_test.h"

#include "cosched/top/top_page.h"

static char *page(const char *json, int columns, int rows)
{
	struct json_object *o = json_tokener_parse(json);
	char *text;

	assert_non_null(o);
	text = cs_top_page(o, columns, rows);
	assert_non_null(text);
	json_object_put(o);
	return text;
}

/* No line is too long, there are not too many, and all is printable. */
static int lines(const char *text, int columns)
{
	int n = 0, k = 0;

	for (; *text; text++) {
		assert_true(*text == '\n' || (*text >= ' ' && *text <= '~'));
		k = *text == '\n' ? 0 : k + 1;
		n += *text == '\n';
		assert_true(k <= columns);
	}
	return n;
}

static const char small[] =
	"{\"mode\":\"act\",\"policy\":\"adaptive\",\"now_s\":1000,"
	"\"running\":3,\"waiting\":2,\"cores\":8,\"cores_used\":5,"
	"\"nodes\":[[4,4,2],[4,1,1],[4,-1,0]],"
	"\"names\":[\"n1\",\"n2\",\"n3\"],"
	"\"groups\":[{\"group\":7,\"jobs\":["
	"{\"job\":1,\"id\":\"1\",\"user\":\"alice\",\"role\":\"primary\","
	"\"slowdown\":1.05,\"end_s\":1720,\"nodes\":[\"n1\"]},"
	"{\"job\":5,\"id\":\"3_2\",\"user\":\"bob\",\"role\":\"matched\","
	"\"slowdown\":1.25,\"end_s\":87400,\"nodes\":[\"n1\"]}]}],"
	"\"queue\":[{\"job\":8,\"id\":\"8\",\"user\":\"carol\","
	"\"start_s\":1720,\"why\":\"planned on 4 cores\"},"
	"{\"job\":9,\"id\":\"9\",\"user\":\"dave\"},"
	"{\"job\":10,\"start_s\":900}],\"queue_more\":0}";

static void all_parts_are_there(void **state)
{
	char *text = page(small, 100, 0);

	(void)state;
	lines(text, 100);
	assert_contains(text, "mode act, policy adaptive; 3 run, 2 wait; 5 of "
			      "8 cores used\n");
	assert_contains(text, "n1 [##########]    4/4     2j  ");
	assert_contains(text, "n2 [###.......]    1/4     1j  ");
	assert_contains(text, "n3 [xxxxxxxxxx] not up\n");
	assert_contains(text,
			"     7 primary            1 alice            1.05 "
			"     0:12:00  n1\n");
	assert_contains(text,
			"     7 matched          3_2 bob              1.25 "
			"  1-00:00:00  n1\n");
	assert_contains(text,
			"           8 carol             0:12:00  planned on "
			"4 cores\n");
	assert_contains(text, "           9 dave                    -\n");
	assert_contains(text, "          10                      late\n");
	free(text);
}

static void gpus_are_beside_the_bars(void **state)
{
	char *text = page("{\"mode\":\"act\",\"policy\":\"p\",\"nodes\":"
			  "[[4,4,2,16,12],[4,1,1],[4,-1,0,8,0],[4,0,0,4,0]],"
			  "\"names\":[\"n1\",\"n2\",\"n3\",\"n4\"]}",
			  90, 0);

	(void)state;
	lines(text, 90);
	assert_contains(text, "0 of 0 cores, 12 of 20 GPUs used\n");
	assert_contains(text, "n1 [##########]    4/4     2j 12/16g  "
			      "n2 [###.......]    1/4     1j\n");
	assert_contains(text, "n3 [xxxxxxxxxx] not up                "
			      "n4 [..........]    0/4     0j  0/4g\n");
	free(text);
}

static void a_line_tells_the_slice(void **state)
{
	static const struct {
		const char *json, *want;
	} of[] = {
		{ "{\"running\":1,\"slice\":{\"class\":\"long\",\"end_s\":5,"
		  "\"stopped\":3}}",
		  "\nlong slice until 01-01 00:00, 3 jobs stopped\n" },
		{ "{\"waiting\":1,\"slice\":{\"slot\":2,\"slots\":3,\"end_s\":5,"
		  "\"stopped\":1}}",
		  "\nslot 2 of 3 until 01-01 00:00, 1 job stopped\n" },
		{ "{\"running\":1,\"slice\":{\"slot\":1,\"slots\":1,"
		  "\"end_s\":null,\"stopped\":0}}",
		  "\nslot 1 of 1, 0 jobs stopped\n" },
		{ "{\"slice\":{\"class\":\"long\",\"end_s\":5,\"stopped\":0}}",
		  "\nno slice now: no job needs one\n" },
	};

	(void)state;
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		char *text = page(of[i].json, 0, 0);

		assert_contains(text, of[i].want);
		free(text);
	}
}

/* For scripts: 80 columns of bars, and no line is cut. */
static void without_columns_no_line_is_cut(void **state)
{
	static const char fmt[] = "{\"nodes\":[[4,4,2],[4,1,1],[4,-1,0]],"
				  "\"names\":[\"n1\",\"n2\",\"n3\"],"
				  "\"queue\":[{\"job\":8,\"user\":\"carol\","
				  "\"start_s\":1,\"why\":\"%0200d end\"}]}";
	char json[600], *text;

	(void)state;
	snprintf(json, sizeof(json), fmt, 0);
	text = page(json, 0, 0);
	assert_contains(text, "0 end\n");
	assert_contains(text, "n2 [###.......]    1/4     1j\n");
	free(text);
	text = page(json, 80, 0);
	assert_null(strstr(text, "end"));
	free(text);
}

static void nothing_is_said_of_nothing(void **state)
{
	char *text = page("{\"nodes\":[],\"groups\":[],\"queue\":[]}", 80, 24);

	(void)state;
	assert_contains(text, "\nno jobs share nodes as a group\n");
	assert_contains(text, "\nno job waits\n");
	free(text);
}

/* Many nodes: a character each, or for several. */
static void many_nodes_are_heat(void **state)
{
	struct json_object *o = json_object_new_object(), *nodes;
	char *text;

	(void)state;
	nodes = json_object_new_array();
	for (int i = 0; i < 1000; i++) {
		char one[40];

		snprintf(one, sizeof(one), "[8,%d,1]",
			 i == 0	   ? -1
			 : i < 500 ? 0
			 : i < 750 ? 4
				   : 8);
		json_object_array_add(nodes, json_tokener_parse(one));
	}
	json_object_object_add(o, "nodes", nodes);
	text = cs_top_page(o, 102, 36);
	assert_contains(text, "1000 nodes: ' ' idle to @ full, x not up\n|x ");
	assert_contains(text, "|++++++++++++++++");
	assert_contains(text, "@@@@@@@@@@@@@@@@|\n\n");
	assert_true(lines(text, 102) <= 36);
	free(text);
	/* 12 lines of 38: 3 nodes a character */
	text = cs_top_page(o, 40, 36);
	assert_contains(text, "1000 nodes, 3 a character");
	assert_true(lines(text, 40) <= 36);
	free(text);
	json_object_put(o);
}

/* What does not fit is counted, and the page is no longer than the screen. */
static void the_page_fits_the_screen(void **state)
{
	struct json_object *o = json_tokener_parse(small), *list;
	char *text;

	(void)state;
	json_object_object_get_ex(o, "queue", &list);
	for (int i = 0; i < 61; i++)
		json_object_array_add(list, json_tokener_parse("{\"job\":77}"));
	json_object_object_add(o, "queue_more", json_object_new_int(100));
	for (int rows = 10; rows < 90; rows++)
		for (int columns = 40; columns < 200; columns += 53) {
			text = cs_top_page(o, columns, rows);
			assert_true(lines(text, columns) <= rows);
			free(text);
		}
	text = cs_top_page(o, 120, 30);
	assert_int_equal(lines(text, 120), 30);
	/* a line of what is in force, 3 blanks, a bar line, 3 of groups, head, this */
	assert_contains(text, " and 144 more wait\n");
	free(text);
	json_object_put(o);
}

static void hostile_answers_do_no_harm(void **state)
{
	static const char *const bad[] = {
		"{}",
		"[]",
		"{\"nodes\":7,\"names\":{},\"groups\":\"x\",\"queue\":null}",
		"{\"nodes\":[[],[1],[\"a\",{},[]],null],\"names\":[1,2,3,null]}",
		"{\"nodes\":[[4,99,-5],[-4,4,1],[0,0,0]],\"names\":[\"\",\"\",\"\"]}",
		"{\"groups\":[{\"jobs\":[null,7,{}]},{\"jobs\":3}]}",
		"{\"queue\":[null,{\"id\":7,\"user\":[],\"start_s\":\"x\"}],"
		"\"queue_more\":-9}",
		"{\"policy\":\"\\u001b[2J\\n\\u00e9\",\"now_s\":-1}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (int rows = 0; rows < 24; rows += 23) {
			char *text = page(bad[i], 20, rows);

			lines(text, CS_TOP_COLUMNS_MIN);
			assert_null(strchr(text, 27));
			free(text);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_parts_are_there),
		cmocka_unit_test(gpus_are_beside_the_bars),
		cmocka_unit_test(a_line_tells_the_slice),
		cmocka_unit_test(without_columns_no_line_is_cut),
		cmocka_unit_test(nothing_is_said_of_nothing),
		cmocka_unit_test(many_nodes_are_heat),
		cmocka_unit_test(the_page_fits_the_screen),
		cmocka_unit_test(hostile_answers_do_no_harm),
	};

	return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}
