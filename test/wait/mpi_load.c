/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An MPI program as users write them: it computes and communicates in turn, and knows
 * nothing of how its ranks wait.
 *
 * Usage: mpi_load ring|alltoall|gather GRAIN_US ITERATIONS BYTES	a checksum
 *	mpi_load ring GRAIN_US @SECONDS BYTES [START]	iterations by then
 *	mpi_load test GRAIN_US ITERATIONS BYTES	MPI_Test() between grains
 *
 * Prints `checksum HEX iterations N seconds S`.  START: seconds since 1970 at which all
 * jobs of a measurement begin.
 */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double grain_s)
{
	double until = cpu_s() + grain_s;

	while (cpu_s() < until)
		;
}

static uint64_t mix(uint64_t sum, const uint64_t *words, int n)
{
	for (int i = 0; i < n; i++)
		sum = (sum << 13 | sum >> 51) * UINT64_C(0x100000001b3) +
		      words[i];
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size, words, end = 0;
	double grain_s, begin, until = 0;
	uint64_t *out, *in, sum;
	long i, stop = -1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc < 5)
		MPI_Abort(MPI_COMM_WORLD, 2);
	grain_s = 1e-6 * atof(argv[2]);
	words = atoi(argv[4]) / 8;
	sum = (uint64_t)rank + 1;
	out = calloc((size_t)words * (size_t)size, 8);
	in = calloc((size_t)words * (size_t)size, 8);
	if (!out || !in || words < 2)
		MPI_Abort(MPI_COMM_WORLD, 2);
	if (argv[3][0] != '@')
		stop = atol(argv[3]);
	while (argc > 5 && time(NULL) < atol(argv[5]))
		usleep(1000);
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	if (stop < 0)
		until = begin + atof(argv[3] + 1);
	for (i = 0; stop < 0 || i < stop; i++) {
		compute(grain_s);
		for (int k = 0; k < words; k++)
			out[k] = sum + (uint64_t)k;
		if (!strcmp(argv[1], "ring")) {
			/* the word before the last: when to stop, from rank 0 on */
			if (until > 0 && !rank && !end && MPI_Wtime() > until) {
				end = 1;
				stop = i + size;
			}
			out[words - 1] = until > 0 ? (uint64_t)(stop + 1) : 0;
			MPI_Sendrecv(out, words, MPI_UINT64_T,
				     (rank + 1) % size, 7, in, words,
				     MPI_UINT64_T, (rank + size - 1) % size, 7,
				     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (until > 0 && stop < 0)
				stop = (long)in[words - 1] - 1;
			sum = mix(sum, in, words - 1);
		} else if (!strcmp(argv[1], "alltoall")) {
			for (int k = words; k < words * size; k++)
				out[k] = out[k % words] ^ (uint64_t)k;
			MPI_Alltoall(out, words, MPI_UINT64_T, in, words,
				     MPI_UINT64_T, MPI_COMM_WORLD);
			sum = mix(sum, in, words * size);
		} else if (!strcmp(argv[1], "gather")) {
			double part = 1.0 / (double)(sum % 1000 + 1), all;

			MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM,
				      MPI_COMM_WORLD);
			memcpy(in, &all, sizeof all);
			MPI_Bcast(in, words, MPI_UINT64_T, (int)(i % size),
				  MPI_COMM_WORLD);
			sum = mix(sum, in, 1);
		} else {
			MPI_Request request[2];
			MPI_Status status[2];
			int done = 0;

			MPI_Irecv(in, words, MPI_UINT64_T,
				  (rank + size - 1) % size, 7, MPI_COMM_WORLD,
				  request);
			MPI_Isend(out, words, MPI_UINT64_T, (rank + 1) % size,
				  7, MPI_COMM_WORLD, request + 1);
			while (!done) {
				compute(grain_s);
				MPI_Testall(2, request, &done, status);
			}
			sum = mix(sum, in, words);
		}
	}
	begin = MPI_Wtime() - begin;
	sum *= 2 * (uint64_t)rank + 1;
	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM,
		      MPI_COMM_WORLD);
	if (!rank)
		printf("checksum %016llx iterations %ld seconds %.3f\n",
		       (unsigned long long)sum, i, begin);
	free(out);
	free(in);
	MPI_Finalize();
	return 0;
}
