/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched check: for each rule a log that keeps it and one that breaks it, what is counted,
 * hostile bytes, and whole files.
 */
#define CS_TEST_ALLOC
#include "checkrig.h"

/* ---- the rules ----------------------------------------------------------- */

#define H                                                            \
	"{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":4," \
	"\"sockets\":2,\"cores\":2},\"params\":{},\"seed\":1}\n"
#define T(t, rest) "{\"t\":" #t "," rest "}\n"
#define VACANT                                                       \
	"{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":4," \
	"\"sockets\":2,\"cores\":2,\"types\":[{\"nodes\":\"3\","     \
	"\"sockets\":1,\"cores\":0}]},\"params\":{},\"seed\":1}\n"
#define SUBMIT(t, j) T(t, "\"ev\":\"submit\",\"job\":" #j ",\"procs\":4")
#define START(t, j, alloc) \
	T(t, "\"ev\":\"start\",\"job\":" #j ",\"alloc\":" alloc)
#define RESIZE(t, j, alloc) \
	T(t, "\"ev\":\"resize\",\"job\":" #j ",\"alloc\":" alloc)
#define SHARED                                                       \
	"{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":4," \
	"\"sockets\":2,\"cores\":2},\"params\":{\"mpl\":2},\"seed\":1}\n"
#define PACKED(t, j, cores) START(t, j, "{\"0\":\"" cores "\"},\"packed\":true")
#define ON(nodes, cores) "{\"" nodes "\":\"" cores "\"}"
/* behind an alloc: V, and F of its campaign */
#define RANK(v, f) ",\"campaign_number\":1,\"service\":" v ",\"finish\":" f
#define TOPO(t)                                                      \
	"{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":3," \
	"\"sockets\":1,\"cores\":1,\"topology\":" t "}}\n"
#define STRICT                                                          \
	"{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":4,"    \
	"\"sockets\":2,\"cores\":2},\"params\":{\"order\":\"ostrich\"," \
	"\"hold\":\"strict\",\"slice\":\"none\",\"place\":\"space\"},"  \
	"\"seed\":1}\n"
#define GPUS                                                             \
	"{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":2,"     \
	"\"sockets\":1,\"cores\":2,\"gpus\":\"a:2,b:1\"},\"params\":{}," \
	"\"seed\":1}\n"
/* behind an alloc */
#define HOLDS(n, g) ",\"node_gpus\":{\"" n "\":\"" g "\"}"
#define PART(j, s)                                           \
	T(0, "\"ev\":\"submit\",\"job\":" #j ",\"procs\":1," \
	     "\"estimate\":10,\"gpus_node\":1,\"gpu_share\":" #s)
#define ASKS(j, what, n)                                     \
	T(0, "\"ev\":\"submit\",\"job\":" #j ",\"procs\":1," \
	     "\"estimate\":10,\"" what "\":" #n)
#define WHOLE(j, n)                                          \
	T(0, "\"ev\":\"submit\",\"job\":" #j ",\"procs\":1," \
	     "\"estimate\":10,\"flags\":[\"exclusive\"],\"gpus_node\":" #n)
#define DO(t, ev, j) T(t, "\"ev\":\"" ev "\",\"job\":" #j)
#define DOWN(t, n) T(t, "\"ev\":\"node\",\"node\":" #n ",\"up\":false")
#define BECOMES(t, n, s, c)                                                 \
	T(t, "\"ev\":\"node\",\"node\":" #n ",\"up\":false,\"sockets\":" #s \
	     ",\"cores\":" #c)
#define UP(t, n) T(t, "\"ev\":\"node\",\"node\":" #n ",\"up\":true")

struct rule {
	const char *name, *keeps, *breaks;
	int line; /* where `breaks` does */
	const char *words;
};

static const struct rule rules[] = {
	{ "the log begins with a header", H SUBMIT(0, 1),
	  SUBMIT(0, 1) SUBMIT(0, 2), 1, "without a good header" },
	{ "the log is not empty", H, "", 1, "empty" },
	{ "a line is JSON", H SUBMIT(0, 1), H "{\"t\":0,\"ev\":\n", 2,
	  "no JSON" },
	{ "a line is an object", H SUBMIT(0, 1), H "[1]\n", 2, "no JSON" },
	{ "a line is not empty", H SUBMIT(0, 1), H "\n" SUBMIT(0, 1), 2,
	  "no JSON (empty line)" },
	{ "NaN is no JSON", H T(1.5e0, "\"ev\":\"tick\""),
	  H T(NaN, "\"ev\":\"tick\""), 2, "no JSON" },
	{ "single quotes are no JSON", H T(0, "\"ev\":\"tick\",\"x\":\"'\""),
	  H T(0, "\"ev\":'tick'"), 2, "no JSON" },
	{ "a point needs a digit behind it", H T(1.0, "\"ev\":\"tick\""),
	  H T(1., "\"ev\":\"tick\""), 2, "no JSON" },
	{ "text is UTF-8", H T(0, "\"ev\":\"tick\",\"x\":\"\xc3\xa9\""),
	  H T(0, "\"ev\":\"tick\",\"x\":\"\xc3\""), 2, "no JSON" },
	{ "a last line may lack its newline", H "{\"t\":0,\"ev\":\"tick\"}",
	  H "{\"t\":0,\"ev\":\"ti", 2, "string without its second" },
	{ "any JSON number is a time",
	  H T(-2, "\"ev\":\"tick\"") T(-0.5, "\"ev\":\"tick\"")
		  T(1e-3, "\"ev\":\"tick\"") T(2E+1, "\"ev\":\"tick\""),
	  H T("1", "\"ev\":\"tick\""), 2, "\"t\" is" },
	{ "a line has a time", H T(0, "\"ev\":\"tick\""),
	  H "{\"ev\":\"tick\"}\n", 2, "\"t\" is absent" },
	{ "t never decreases", H SUBMIT(1, 1) SUBMIT(1, 2) SUBMIT(1.000001, 3),
	  H SUBMIT(1, 1) SUBMIT(0.999999, 2) SUBMIT(1, 3), 3,
	  "never to decrease" },
	{ "V never decreases",
	  H SUBMIT(0, 1) SUBMIT(0, 2) START(0, 1, ON("0", "0") RANK("5", "9"))
		  START(0, 2, ON("1", "0") RANK("5", "8")),
	  H SUBMIT(0, 1) SUBMIT(0, 2) START(0, 1, ON("0", "0") RANK("5", "9"))
		  START(0, 2, ON("1", "0") RANK("4.5", "9")),
	  5, "at service 4.500000 behind 5.000000" },
	{ "campaigns that are held start in the order of their virtual ends",
	  STRICT SUBMIT(0, 1) SUBMIT(0, 2)
		  START(0, 1, ON("0", "0") RANK("5", "9"))
			  T(0, "\"ev\":\"decide\",\"actions\":1")
				  START(0, 2, ON("1", "0") RANK("5", "8")),
	  STRICT SUBMIT(0, 1) SUBMIT(0, 2)
		  START(0, 1, ON("0", "0") RANK("5", "9"))
			  START(0, 2, ON("1", "0") RANK("5", "8")),
	  5, "ends virtually at service 8.000000, behind" },
	{ "kept lines are left alone",
	  H T(0, "\"ev\":\"kept\",\"line\":\"clock 0 0 0 0\""),
	  H T(0, "\"ev\":\"keep\""), 2, "\"ev\" is \"keep\"" },
	{ "t starts afresh at a header", H SUBMIT(5, 1) H SUBMIT(0, 1),
	  H SUBMIT(5, 1) SUBMIT(0, 2), 3, "never to decrease" },
	{ "ev is known", H T(0, "\"ev\":\"reservation\",\"nodes\":\"0\""),
	  H DO(0, "strat", 1), 2, "\"ev\" is \"strat\"" },
	{ "ev is there", H T(0, "\"ev\":\"tick\""), H T(0, "\"job\":1"), 2,
	  "without \"ev\"" },
	{ "a job is a number", H DO(0, "submit", 4294967295),
	  H DO(0, "submit", 4294967296), 2, "\"job\" is" },
	{ "a job is not 0", H SUBMIT(0, 1), H SUBMIT(0, 0), 2, "\"job\" is 0" },
	{ "nodes exist", H SUBMIT(0, 1) START(0, 1, ON("0-3", "0-3")),
	  H SUBMIT(0, 1) START(0, 1, ON("2-4", "0")), 3, "on node 4" },
	{ "cores exist", H SUBMIT(0, 1) START(0, 1, ON("3", "3")),
	  H SUBMIT(0, 1) START(0, 1, ON("0", "1,4")), 3,
	  "on core 4 of node 0" },
	{ "a node is named once", H SUBMIT(0, 1) START(0, 1, ON("0,2", "1")),
	  H SUBMIT(0, 1) START(0, 1, "{\"0-2\":\"0\",\"1\":\"1\"}"), 3,
	  "node 1 twice" },
	{ "cores are a list", H SUBMIT(0, 1) START(0, 1, ON("0", "0,2-3")),
	  H SUBMIT(0, 1) START(0, 1, ON("0", "2,0")), 3, "cores '2,0'" },
	{ "a start has cores", H SUBMIT(0, 1) START(0, 1, ON("0", "0")),
	  H SUBMIT(0, 1) START(0, 1, ON("0", "")), 3, "cores ''" },
	{ "a start has nodes", H SUBMIT(0, 1) START(0, 1, ON("0", "0")),
	  H SUBMIT(0, 1) START(0, 1, "{}"), 3, "alloc is empty" },
	{ "a start says where", H SUBMIT(0, 1) START(0, 1, ON("0", "0")),
	  H SUBMIT(0, 1) DO(0, "start", 1), 3, "without \"alloc\"" },
	{ "no core is held by two jobs",
	  H SUBMIT(0, 1) SUBMIT(0, 2) START(0, 1, ON("0-1", "0,2"))
		  START(0, 2, ON("1", "1,3")),
	  H SUBMIT(0, 1) SUBMIT(0, 2) START(0, 1, ON("0-1", "0,2"))
		  START(0, 2, ON("1", "1,2")),
	  5, "core 2 of node 1, which job 1 holds" },
	{ "a suspended job holds no core",
	  H SUBMIT(0, 1) SUBMIT(0, 2) START(0, 1, ON("0", "0"))
		  DO(1, "suspend", 1) START(1, 2, ON("0", "0")),
	  H SUBMIT(0, 1) SUBMIT(0, 2) START(0, 1, ON("0", "0")) DO(
		  1, "suspend", 1) START(1, 2, ON("0", "0")) DO(2, "resume", 1),
	  7, "resume of job 1 on core 0 of node 0, which job 2 holds" },
	{ "a core has at most mpl jobs, in any order of their ends",
	  SHARED SUBMIT(0, 1) SUBMIT(0, 2) SUBMIT(0, 3) PACKED(0, 1, "0-1")
		  PACKED(0, 2, "1-2") DO(1, "finish", 1) PACKED(1, 3, "1-2"),
	  SHARED SUBMIT(0, 1) SUBMIT(0, 2) SUBMIT(0, 3) PACKED(0, 1, "0-1")
		  PACKED(0, 2, "1-2") PACKED(1, 3, "1-2"),
	  7, "expected at most 2 jobs there (mpl)" },
	{ "at most jobs_per_node jobs on a node",
	  H SUBMIT(0, 1) SUBMIT(0, 2) SUBMIT(0, 3) START(0, 1, ON("0", "0"))
		  START(0, 2, ON("0", "1")) DO(1, "finish", 1)
			  START(1, 3, ON("0", "2")),
	  H SUBMIT(0, 1) SUBMIT(0, 2) SUBMIT(0, 3) START(0, 1, ON("0", "0"))
		  START(0, 2, ON("0", "1")) START(1, 3, ON("0", "2")),
	  7, "beside 2 jobs, expected at most 2" },
	{ "jobs_per_node is the header's",
	  "{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":1,"
	  "\"sockets\":1,\"cores\":4},\"params\":{\"jobs_per_node\":3}}\n" SUBMIT(
		  0, 1) SUBMIT(0, 2) SUBMIT(0, 3) START(0, 1, ON("0", "0"))
		  START(0, 2, ON("0", "1")) START(0, 3, ON("0", "2")),
	  "{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":1,"
	  "\"sockets\":1,\"cores\":4},\"params\":{\"jobs_per_node\":1}}\n" SUBMIT(
		  0, 1) SUBMIT(0, 2) START(0, 1, ON("0", "0"))
		  START(0, 2, ON("0", "1")),
	  5, "expected at most 1" },
	{ "packed jobs are not counted",
	  H SUBMIT(0, 1) SUBMIT(0, 2) SUBMIT(0, 3) START(0, 1, ON("0", "0"))
		  START(0, 2, ON("0", "1") ",\"packed\":true")
			  START(0, 3, ON("0", "2")),
	  H SUBMIT(0, 1) SUBMIT(0, 2) SUBMIT(0, 3) START(0, 1, ON("0", "0"))
		  START(0, 2, ON("0", "1") ",\"packed\":false")
			  START(0, 3, ON("0", "2")),
	  7, "expected at most 2" },
	{ "the host's own starts may be more",
	  H SUBMIT(0, 1) SUBMIT(0, 2) SUBMIT(0, 3) START(0, 1, ON("0", "0"))
		  START(0, 2, ON("0", "1"))
			  START(0, 3, ON("0", "2") ",\"by\":\"host\""),
	  H SUBMIT(0, 1) SUBMIT(0, 2) SUBMIT(0, 3)
		  START(0, 1, ON("0", "0") ",\"by\":\"host\"")
			  START(0, 2, ON("0", "1") ",\"by\":\"host\"")
				  START(0, 3, ON("0", "2")),
	  7, "expected at most 2" },
	{ "a resumed job has the cores it had",
	  H SUBMIT(0, 1) START(0, 1, ON("0-1", "0,1")) DO(1, "suspend", 1)
		  T(2, "\"ev\":\"resume\",\"job\":1,"
		       "\"alloc\":{\"1\":\"0-1\",\"0\":\"0,1\"}"),
	  H SUBMIT(0, 1) START(0, 1, ON("0-1", "0,1")) DO(1, "suspend", 1)
		  T(2, "\"ev\":\"resume\",\"job\":1,"
		       "\"alloc\":{\"1\":\"0-1\",\"0\":\"0,2\"}"),
	  5, "on other cores" },
	{ "nothing starts on a down node",
	  H SUBMIT(0, 1) DOWN(1, 2) START(1, 1, ON("0-1", "0")) UP(2, 2)
		  DO(2, "finish", 1) SUBMIT(2, 2) START(2, 2, ON("2", "0")),
	  H SUBMIT(0, 1) DOWN(1, 2) START(1, 1, ON("1-3", "0")), 4,
	  "node 2, which is down" },
	{ "a job that started before its node went down was told late",
	  H SUBMIT(0, 1) DOWN(5, 0)
		  START(6, 1, ON("0", "0") ",\"by\":\"host\",\"start\":4"),
	  H SUBMIT(0, 1) DOWN(5, 0)
		  START(6, 1, ON("0", "0") ",\"by\":\"host\",\"start\":5"),
	  4, "which is down" },
	{ "no GPU is held twice",
	  GPUS SUBMIT(0, 1) SUBMIT(0, 2)
		  START(0, 1, ON("0-1", "0") HOLDS("0-1", "0,2"))
			  START(0, 2, ON("0", "1") HOLDS("0", "1"))
				  DO(1, "finish", 1) SUBMIT(1, 3) START(
					  1, 3, ON("1", "0") HOLDS("1", "2")),
	  GPUS SUBMIT(0, 1) SUBMIT(0, 2)
		  START(0, 1, ON("0-1", "0") HOLDS("0-1", "0,2"))
			  START(0, 2, ON("1", "1") HOLDS("1", "1-2")),
	  5, "GPU 2 of node 1, of which jobs hold 1000" },
	{ "parts of a GPU add up to all of it",
	  GPUS PART(1, 400) PART(2, 600)
		  START(0, 1, ON("0", "0") HOLDS("0", "1"))
			  START(0, 2, ON("0", "1") HOLDS("0", "1")),
	  GPUS PART(1, 400) PART(2, 601)
		  START(0, 1, ON("0", "0") HOLDS("0", "1"))
			  START(0, 2, ON("0", "1") HOLDS("0", "1")),
	  5, "takes 601 thousandths of GPU 1" },
	{ "a suspended job keeps its GPUs",
	  GPUS SUBMIT(0, 1) SUBMIT(0, 2)
		  START(0, 1, ON("0", "0") HOLDS("0", "0")) DO(1, "suspend", 1)
			  START(1, 2, ON("0", "0") HOLDS("0", "1")),
	  GPUS SUBMIT(0, 1) SUBMIT(0, 2)
		  START(0, 1, ON("0", "0") HOLDS("0", "0")) DO(1, "suspend", 1)
			  START(1, 2, ON("0", "0") HOLDS("0", "0")),
	  6, "GPU 0 of node 0" },
	{ "GPUs exist",
	  GPUS SUBMIT(0, 1) START(0, 1, ON("0", "0") HOLDS("0", "0-2")),
	  GPUS SUBMIT(0, 1) START(0, 1, ON("0", "0") HOLDS("0", "3")), 3,
	  "GPU 3 of node 0, expected one of the 3" },
	{ "a node of the job may have none of its GPUs",
	  GPUS SUBMIT(0, 1) SUBMIT(0, 2) START(
		  0, 1,
		  ON("0-1", "0") ",\"node_gpus\":{\"0\":\"\","
				 "\"1\":\"0\"}")
		  START(0, 2, ON("0", "1") HOLDS("0", "0")),
	  GPUS SUBMIT(0, 1) SUBMIT(0, 2) START(
		  0, 1,
		  ON("0-1", "0") ",\"node_gpus\":{\"0\":\"\","
				 "\"1\":\"0\"}")
		  START(0, 2, ON("1", "1") HOLDS("1", "0")),
	  5, "GPU 0 of node 1, of which jobs hold 1000" },
	{ "a start has the GPUs that its job asks for",
	  GPUS ASKS(1, "gpus_node", 2) ASKS(2, "gpus", 2)
		  START(0, 1, ON("0", "0") HOLDS("0", "0-1"))
			  START(0, 2, ON("1", "0") HOLDS("1", "0-1")),
	  GPUS ASKS(1, "gpus_node", 2) ASKS(2, "gpus", 2)
		  START(0, 1, ON("0", "0") HOLDS("0", "0-1"))
			  START(0, 2, ON("1", "0") HOLDS("1", "0")),
	  5, "start of job 2 with GPUs: 1, expected 2" },
	{ "a start has GPUs on each node",
	  GPUS ASKS(1, "gpus_node", 1)
		  START(0, 1, ON("0-1", "0") HOLDS("0-1", "0")),
	  GPUS ASKS(1, "gpus_node", 1) START(0, 1, ON("0-1", "0")), 3,
	  "start of job 1 with GPUs: 0, expected 2" },
	{ "a start on whole nodes may have more",
	  GPUS WHOLE(1, 1) START(0, 1, ON("0", "0-1") HOLDS("0", "0-2")),
	  GPUS ASKS(1, "gpus_node", 1)
		  START(0, 1, ON("0", "0-1") HOLDS("0", "0-2")),
	  3, "start of job 1 with GPUs: 3, expected 1" },
	{ "a start by the host may have others",
	  GPUS ASKS(1, "gpus_node", 1)
		  START(0, 1, ON("0", "0") ",\"placed\":\"host\"")
			  DO(0, "finish", 1) ASKS(2, "gpus", 1)
				  START(0, 2, ON("0", "0") ",\"by\":\"host\""),
	  GPUS ASKS(1, "gpus_node", 1) START(
		  0, 1, ON("0", "0") ",\"placed\":\"host\"") DO(0, "finish", 1)
		  ASKS(2, "gpus", 1) START(0, 2, ON("0", "0")),
	  6, "start of job 2 with GPUs: 0, expected 1" },
	{ "a GPU has a number below 64",
	  GPUS SUBMIT(0, 1) START(0, 1, ON("0", "0") HOLDS("0", "0")),
	  GPUS SUBMIT(0, 1) START(0, 1, ON("0", "0") HOLDS("0", "0-64")), 3,
	  "GPU 64, expected at most 63" },
	{ "GPUs are listed", GPUS SUBMIT(0, 1) START(0, 1, ON("0", "0")),
	  GPUS SUBMIT(0, 1)
		  START(0, 1, ON("0", "0") ",\"node_gpus\":{\"0\":3}"),
	  3, "expected lists" },
	{ "a node line names a node", H DOWN(0, 3), H DOWN(0, 4), 2,
	  "node 4 is down" },
	{ "a node may come, larger than before",
	  H DOWN(0, 1) BECOMES(0, 1, 1, 0) BECOMES(1, 1, 2, 3) UP(1, 1)
		  SUBMIT(1, 1) START(1, 1, ON("1", "0-5")),
	  H DOWN(0, 1) BECOMES(0, 1, 1, 0) BECOMES(1, 1, 2, 3) UP(1, 1)
		  SUBMIT(1, 1) START(1, 1, ON("1", "0-6")),
	  7, "core 6 of node 1, expected a core of 0 to 5" },
	{ "where none is, no job starts",
	  H DOWN(0, 1) BECOMES(0, 1, 1, 0) SUBMIT(1, 1)
		  START(1, 1, ON("2", "0")),
	  H DOWN(0, 1) BECOMES(0, 1, 1, 0) SUBMIT(1, 1)
		  START(1, 1, ON("1", "0")),
	  5, "node 1, which is not there" },
	{ "nor where none has been",
	  VACANT SUBMIT(1, 1) START(1, 1, ON("2", "0")),
	  VACANT SUBMIT(1, 1) START(1, 1, ON("3", "0")), 3,
	  "node 3, which is not there" },
	{ "and it is not up", H DOWN(0, 1) BECOMES(0, 1, 1, 0) DOWN(1, 1),
	  H DOWN(0, 1) BECOMES(0, 1, 1, 0) UP(1, 1), 4,
	  "up, but not there, expected" },
	{ "a node changes only while it is down",
	  H DOWN(0, 1) BECOMES(1, 1, 2, 3), H BECOMES(1, 1, 2, 3), 2,
	  "node 1 has 6 cores from now on, but is up" },
	{ "and unused", H BECOMES(1, 2, 2, 2) DOWN(1, 2) BECOMES(1, 2, 2, 1),
	  H SUBMIT(0, 1) START(0, 1, ON("2", "1")) DOWN(1, 2)
		  BECOMES(1, 2, 2, 1),
	  5, "but a job holds it" },
	{ "a node line says what", H UP(0, 3),
	  H T(0, "\"ev\":\"node\",\"node\":1"), 2, "without \"up\"" },
	{ "every start follows its submit",
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0")),
	  H START(0, 1, ON("0", "0")) DO(1, "finish", 1), 2,
	  "expected its submit first" },
	{ "a task of an array follows the array's submit",
	  H T(0, "\"ev\":\"submit\",\"job\":7,\"tasks\":2") START(
		  0, 8, ON("0", "0") ",\"array\":7") START(0, 7, ON("1", "0"))
		  DO(1, "finish", 8) DO(1, "finish", 7),
	  H T(0, "\"ev\":\"submit\",\"job\":7,\"tasks\":2")
		  START(0, 8, ON("0", "0") ",\"array\":7")
			  START(0, 9, ON("1", "0") ",\"array\":7")
				  START(0, 10, ON("2", "0") ",\"array\":7"),
	  5, "start of job 10, expected its submit" },
	{ "a job runs once at a time",
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0")) DO(1, "requeue", 1)
		  START(2, 1, ON("1", "0")),
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0")) START(2, 1, ON("1", "0")), 4,
	  "which runs" },
	{ "a job is submitted once",
	  H SUBMIT(0, 1) DO(1, "cancel", 1) SUBMIT(2, 1),
	  H SUBMIT(0, 1) SUBMIT(2, 1), 3, "there since line 2" },
	{ "a job ends once",
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0")) DO(1, "finish", 1),
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0")) DO(1, "finish", 1)
		  DO(1, "finish", 1),
	  5, "which is not there" },
	{ "a cancelled job does not start", H SUBMIT(0, 1) DO(1, "cancel", 1),
	  H SUBMIT(0, 1) DO(1, "cancel", 1) START(1, 1, ON("0", "0")), 4,
	  "expected its submit" },
	{ "what ends has started",
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0")) DO(1, "suspend", 1)
		  DO(1, "finish", 1),
	  H SUBMIT(0, 1) DO(1, "finish", 1), 3, "which waits" },
	{ "only a running job is suspended",
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0")) DO(1, "suspend", 1),
	  H SUBMIT(0, 1) DO(1, "suspend", 1), 3, "which waits" },
	{ "only a suspended job is resumed",
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0")) DO(1, "suspend", 1)
		  DO(1, "resume", 1),
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0")) DO(1, "resume", 1), 4,
	  "which runs" },
	{ "only a job that started is requeued",
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0")) DO(1, "suspend", 1)
		  DO(1, "requeue", 1),
	  H SUBMIT(0, 1) DO(1, "requeue", 1), 3, "which waits" },
	{ "a change is of a job that is there",
	  H SUBMIT(0, 1) DO(1, "change", 1), H DO(1, "change", 1), 2,
	  "which is not there" },
	{ "only a job that runs begins",
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0"))
		  T(9, "\"ev\":\"begin\",\"job\":1,\"start\":9"),
	  H SUBMIT(0, 1) T(9, "\"ev\":\"begin\",\"job\":1,\"start\":9"), 3,
	  "begin of job 1, which waits" },
	{ "no job begins before its start",
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0"))
		  T(9, "\"ev\":\"begin\",\"job\":1,\"start\":0,\"from\":9"),
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0"))
		  T(9, "\"ev\":\"begin\",\"job\":1,\"start\":9,\"from\":8"),
	  4, "expected \"from\" of 9.000000" },
	{ "a job that is resized gives back the rest",
	  H SUBMIT(0, 1) SUBMIT(0, 2) START(0, 1, ON("0-1", "0"))
		  RESIZE(1, 1, ON("0", "0")) START(1, 2, ON("1", "0")),
	  H SUBMIT(0, 1) SUBMIT(0, 2) START(0, 1, ON("0-1", "0"))
		  RESIZE(1, 1, ON("1", "0")) START(1, 2, ON("1", "0")),
	  6, "which job 1 holds" },
	{ "a job grows onto free cores",
	  H SUBMIT(0, 1) SUBMIT(0, 2) START(0, 1, ON("0", "0"))
		  START(0, 2, ON("0", "1")) RESIZE(1, 1, ON("0-1", "0")),
	  H SUBMIT(0, 1) SUBMIT(0, 2) START(0, 1, ON("0", "0"))
		  START(0, 2, ON("1", "0")) RESIZE(1, 1, ON("0-1", "0")),
	  6, "resize of job 1 on core 0 of node 1, which job 2 holds" },
	{ "a suspended job is resized and resumes there",
	  H SUBMIT(0, 1) START(0, 1, ON("0-1", "0")) DO(1, "suspend", 1)
		  RESIZE(2, 1, ON("0", "0")) DO(3, "resume", 1),
	  H SUBMIT(0, 1) START(0, 1, ON("0-1", "0")) DO(1, "suspend", 1)
		  RESIZE(2, 1, ON("7", "0")),
	  5, "resize of job 1 on node 7" },
	{ "a resize says what the job holds",
	  H SUBMIT(0, 1) START(0, 1, ON("0-1", "0")) RESIZE(1, 1, ON("0", "0")),
	  H SUBMIT(0, 1) START(0, 1, ON("0-1", "0")) DO(1, "resize", 1), 4,
	  "resize of job 1 without \"alloc\"" },
	{ "would holds nothing",
	  H SUBMIT(0, 1) SUBMIT(0, 2)
		  T(0, "\"ev\":\"would\",\"do\":\"start\",\"job\":1,"
		       "\"alloc\":{\"0\":\"0\"}") START(0, 2, ON("0", "0"))
			  T(0, "\"ev\":\"would\",\"do\":\"host_start\","
			       "\"job\":1,\"alloc\":{\"0-3\":\"\"}"),
	  H SUBMIT(0, 1) T(0, "\"ev\":\"would\",\"do\":\"start\",\"job\":1,"
			      "\"alloc\":{\"9\":\"0\"}"),
	  3, "would of job 1 on node 9" },
	{ "a reader starts afresh at each header",
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0")) H SUBMIT(0, 1)
		  START(0, 1, ON("0", "0")),
	  H SUBMIT(0, 1) START(0, 1, ON("0", "0")) H START(0, 1, ON("0", "0")),
	  5, "expected its submit" },
	{ "the version is 1", H,
	  "{\"ev\":\"header\",\"version\":2}\n" SUBMIT(0, 1), 1,
	  "\"version\" is 2" },
	{ "the header has a machine", H,
	  "{\"ev\":\"header\",\"version\":1}\n" SUBMIT(0, 1), 1,
	  "without \"machine\"" },
	{ "the machine's shape has a socket", H,
	  "{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":3,"
	  "\"sockets\":0,\"cores\":4}}\n" SUBMIT(0, 1),
	  1, "sockets" },
	{ "the machine is bounded",
	  "{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":1000000,"
	  "\"sockets\":1,\"cores\":64}}\n",
	  "{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":1000000,"
	  "\"sockets\":1,\"cores\":128}}\n",
	  1, "a machine of 128000000 cores" },
	{ "types say how nodes differ",
	  "{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":3,"
	  "\"sockets\":2,\"cores\":2,\"types\":[{\"nodes\":\"0-1\"},"
	  "{\"nodes\":\"2\",\"cores\":8}]}}\n" SUBMIT(0, 1)
		  START(0, 1, "{\"0-1\":\"0-3\",\"2\":\"0-15\"}"),
	  "{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":3,"
	  "\"sockets\":2,\"cores\":2,\"types\":[{\"nodes\":\"0-1\"},"
	  "{\"nodes\":\"2\",\"cores\":8}]}}\n" SUBMIT(0, 1)
		  START(0, 1, "{\"0-1\":\"0-4\",\"2\":\"0-15\"}"),
	  3, "core 4 of node 0" },
	{ "types name nodes that are there",
	  "{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":3,"
	  "\"types\":[{\"nodes\":\"0-2\",\"sockets\":1,\"cores\":1}]}}\n",
	  "{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":3,"
	  "\"types\":[{\"nodes\":\"0-3\",\"sockets\":1,\"cores\":1}]}}\n",
	  1, "type for node 3" },
	{ "every node has cores",
	  "{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":2,"
	  "\"types\":[{\"nodes\":\"0-1\",\"sockets\":1,\"cores\":1}]}}\n",
	  "{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":2,"
	  "\"types\":[{\"nodes\":\"0\",\"sockets\":1,\"cores\":1}]}}\n",
	  1, "node 1 has no sockets" },
	{ "groups are of nodes that are there",
	  TOPO("{\"groups\":[{\"nodes\":\"0-1\"},{\"name\":\"s\",\"level\":1,\"nodes\":\"0-2\"}]}"),
	  TOPO("{\"groups\":[{\"nodes\":\"0-3\"}]}"), 1,
	  "a group with node 3" },
	{ "a topology has groups", TOPO("{\"groups\":[{}]}"),
	  TOPO("{\"block\":1}"), 1, "without" },
	{ "... at least one", TOPO("{\"groups\":[{\"nodes\":\"1\"}]}"),
	  TOPO("{\"groups\":[]}"), 1, "0" },
	{ "a group is an object", TOPO("{\"groups\":[{}]}"),
	  TOPO("{\"groups\":[\"0\"]}"), 1, "a group is no object" },
	{ "its nodes are a list", TOPO("{\"groups\":[{\"nodes\":\"0,2\"}]}"),
	  TOPO("{\"groups\":[{\"nodes\":3}]}"), 1, "are no text" },
	{ "its level is a number", TOPO("{\"groups\":[{\"level\":2}]}"),
	  TOPO("{\"groups\":[{\"level\":-1}]}"), 1, "level" },
	{ "blocks have sizes",
	  TOPO("{\"block\":1,\"sizes\":[1,2],\"groups\":[{\"nodes\":\"0\"}]}"),
	  TOPO("{\"block\":1,\"groups\":[{\"nodes\":\"0\"}]}"), 1, "without" },
	{ "... that increase",
	  TOPO("{\"block\":1,\"sizes\":[1,2,8],\"groups\":[{\"nodes\":\"0\"}]}"),
	  TOPO("{\"block\":1,\"sizes\":[1,2,2],\"groups\":[{\"nodes\":\"0\"}]}"),
	  1, "expected 1 and larger" },
	{ "a block counts for a node",
	  TOPO("{\"block\":1,\"sizes\":[1],\"groups\":[{\"nodes\":\"0\"}]}"),
	  TOPO("{\"block\":0,\"sizes\":[1],\"groups\":[{\"nodes\":\"0\"}]}"), 1,
	  "block" },
};

static void each_rule_kept_and_broken(void **arg)
{
	(void)arg;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		print_message("  %s\n", rules[i].name);
		assert_ok(rules[i].keeps);
		assert_breach(rules[i].breaks, rules[i].line, rules[i].words);
	}
}

/* ---- what is counted ----------------------------------------------------- */

#define BOOT                                                         \
	"{\"ev\":\"header\",\"version\":1,\"boot\":7.5,\"machine\":" \
	"{\"nodes\":4,\"sockets\":2,\"cores\":2},\"params\":{}}\n"

static void counts_jobs_starts_and_groups(void **arg)
{
	struct result r;

	(void)arg;
	check(H SUBMIT(0, 1) SUBMIT(0, 2) SUBMIT(0, 3)
		      START(0, 1, ON("0", "0") ",\"group\":5")
			      START(0, 2, ON("0", "1") ",\"group\":5")
				      DO(1, "finish", 1) DO(1, "finish", 2),
	      &r);
	assert_int_equal(r.n, 0);
	assert_int_equal(r.k.lines, 8);
	assert_int_equal(r.k.counts.jobs, 3);
	assert_int_equal(r.k.counts.starts, 2);
	assert_int_equal(r.k.counts.groups, 1);
	assert_int_equal(r.k.counts.alive, 1);
}

static void state_behind_a_boot_is_not_counted_again(void **arg)
{
	struct result r;

	(void)arg;
	check(BOOT SUBMIT(1, 1) SUBMIT(1, 2)
		      START(1, 1, ON("0", "0") ",\"group\":5") BOOT SUBMIT(2, 1)
			      SUBMIT(2, 2)
				      START(2, 1, ON("0", "0") ",\"group\":5")
					      START(3, 2, ON("0", "1")),
	      &r);
	assert_int_equal(r.n, 0);
	assert_int_equal(r.k.counts.jobs, 2);
	assert_int_equal(r.k.counts.starts, 2);
	assert_int_equal(r.k.counts.groups, 1);
}

static void rotated_files_follow_each_other(void **arg)
{
	static const char old[] = BOOT SUBMIT(1, 1) SUBMIT(1, 2);
	static const char new[] = BOOT SUBMIT(2, 2) SUBMIT(3, 3);
	struct cs_checkstate *state = cs_checkstate_create();
	struct result r;

	(void)arg;
	assert_non_null(state);
	check_bytes(state, old, strlen(old), &r);
	assert_int_equal(r.n, 0);
	assert_int_equal(r.k.counts.jobs, 2);
	check_bytes(state, new, strlen(new), &r);
	assert_int_equal(r.n, 0);
	assert_int_equal(r.k.counts.jobs, 1);
	cs_checkstate_free(state);
}

static void one_mistake_is_one_breach(void **arg)
{
	(void)arg;
	/* job 2 never had its cores: its end frees nobody else's */
	assert_breach(H SUBMIT(0, 1) SUBMIT(0, 2) START(0, 1, ON("0", "0"))
			      START(0, 2, ON("0", "0")) DO(1, "finish", 2)
				      DO(2, "finish", 1) SUBMIT(2, 3)
					      START(2, 3, ON("0", "0")),
		      5, "which job 1 holds");
	/* lines behind a bad header wait for the next one */
	assert_breach(H SUBMIT(0, 1) "{\"ev\":\"header\",\"version\":1,"
				     "\"machine\":[]}\n" SUBMIT(0, 1)
					     SUBMIT(0, 1) H SUBMIT(0, 1),
		      3, "without \"machine\"");
}

/* ---- hostile bytes ------------------------------------------------------- */

static void bytes_that_are_no_text(void **arg)
{
	static const char log[] = H "{\"t\":0,\"ev\":\"tick\0\"}\n"
				    "\xff\n";
	struct cs_checkstate *state = cs_checkstate_create();
	struct result r;

	(void)arg;
	assert_non_null(state);
	check_bytes(state, log, sizeof(log) - 1, &r);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.line[0], 2);
	assert_int_equal(r.line[1], 3);
	cs_checkstate_free(state);
}

/* A header, @n times @fill, and "\n" behind it. */
static char *filled(const char *fill, size_t n, size_t *ret_len)
{
	size_t at = strlen(H), each = strlen(fill);
	char *log = malloc(at + n * each + 2);

	assert_non_null(log);
	memcpy(log, H, at);
	for (size_t i = 0; i < n; i++, at += each)
		memcpy(log + at, fill, each);
	log[at++] = '\n';
	log[at] = '\0';
	*ret_len = at;
	return log;
}

static void long_lines_are_read_over(void **arg)
{
	struct cs_checkstate *state = cs_checkstate_create();
	struct result r;
	size_t len;
	char *log = filled("\"", CS_LINE_MAX + 5, &len);

	(void)arg;
	assert_non_null(state);
	check_bytes(state, log, len, &r);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.line[0], 2);
	assert_non_null(strstr(r.text[0], "too long"));
	assert_int_equal(r.k.lines, 2);
	free(log);
	cs_checkstate_free(state);
}

static void deep_nesting_is_refused(void **arg)
{
	struct cs_checkstate *state = cs_checkstate_create();
	struct result r;
	size_t len;
	char *log = filled("[", 100000, &len);

	(void)arg;
	assert_non_null(state);
	check_bytes(state, log, len, &r);
	assert_int_equal(r.n, 1);
	assert_non_null(strstr(r.text[0], "no JSON"));
	free(log);
	cs_checkstate_free(state);
}

static void messages_hold_no_control_bytes(void **arg)
{
	struct result r;

	(void)arg;
	check(H T(0, "\"ev\":\"\\u001b[31m\\u0000%s%n\""), &r);
	assert_int_equal(r.n, 1);
	for (const char *c = r.text[0]; *c; c++)
		assert_true(*c >= ' ' && *c <= '~');
}

/* ---- no memory ----------------------------------------------------------- */

/* A log that allocates all that there is to allocate. */
static const char *const rich = BOOT SUBMIT(1, 1) SUBMIT(1, 2)
	START(1, 1, "{\"0\":\"0,2\",\"1\":\"1\"},\"group\":5") DOWN(2, 3)
		DO(2, "suspend", 1) BOOT SUBMIT(3, 1) START(3, 1, ON("0", "0"));

/* 0, -ENOMEM */
static int check_whole(const char *log)
{
	struct cs_checkstate *state = cs_checkstate_create();
	struct cs_checklog k = { 0 };
	FILE *file;
	long left = cs_test_left;
	int rc;

	if (!state)
		return -1;
	cs_test_left = -1;
	file = fmemopen((void *)(uintptr_t)log, strlen(log), "r");
	assert_non_null(file);
	cs_test_left = left;
	rc = cs_checklog(&k, state, file);
	cs_test_left = -1;
	fclose(file);
	cs_checkstate_free(state);
	assert_int_equal(k.breaches, 0);
	return rc;
}

static void each_allocation_may_fail(void **arg)
{
	int rc;

	(void)arg;
	CS_TEST_EACH_ALLOC(rc = check_whole(rich), rc != 0)
}

/* ---- files --------------------------------------------------------------- */

static void a_simulated_log_is_accepted(void **arg)
{
	char *log = cs_test_file("check_simulated.jsonl", NULL);

	(void)arg;
	assert_ok(log);
	free(log);
}

static void a_live_log_is_accepted(void **arg)
{
	char *log = cs_test_file("check_live.jsonl", NULL);

	(void)arg;
	assert_ok(log);
	free(log);
}

static void every_breach_of_a_bad_log_is_found(void **arg)
{
	static const uint64_t lines[] = { 5, 6, 8, 10, 11 };
	char *log = cs_test_file("check_bad.jsonl", NULL);
	struct result r;

	(void)arg;
	check(log, &r);
	assert_int_equal(r.n, sizeof(lines) / sizeof(lines[0]));
	for (size_t i = 0; i < r.n; i++)
		assert_int_equal(r.line[i], lines[i]);
	free(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_kept_and_broken),
		cmocka_unit_test(counts_jobs_starts_and_groups),
		cmocka_unit_test(state_behind_a_boot_is_not_counted_again),
		cmocka_unit_test(rotated_files_follow_each_other),
		cmocka_unit_test(one_mistake_is_one_breach),
		cmocka_unit_test(bytes_that_are_no_text),
		cmocka_unit_test(long_lines_are_read_over),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(messages_hold_no_control_bytes),
		cmocka_unit_test(each_allocation_may_fail),
		cmocka_unit_test(a_simulated_log_is_accepted),
		cmocka_unit_test(a_live_log_is_accepted),
		cmocka_unit_test(every_breach_of_a_bad_log_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
