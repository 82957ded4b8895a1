/*
 * What a user of MPI would write: each server broadcasts its share of an update to all workers, which add it to their
 * parameters. Ranks are the servers, then the workers.
 *
 * mpi-broadcast SERVERS BYTES TRIALS
 *
 * Rank 0 prints "ready" before each trial and waits for a line; after it, it prints "took SECONDS CPU_SECONDS" and
 * waits for a line. All ranks are on one machine, whose monotonic clock times them.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static double used(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Waits for a line, and with it all ranks. */
static void line(int rank) {
    for (int c = 0; rank == 0 && c != '\n'; ) {
        c = getchar();
        if (c == EOF) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The same on all ranks, small enough to be summed up without rounding. */
static float value(long i) {
    return (float) (1 + i % 7);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int servers = argc == 4 ? atoi(argv[1]) : 0;
    long floats = argc == 4 ? atol(argv[2]) / (long) sizeof(float) : 0;
    int trials = argc == 4 ? atoi(argv[3]) : 0;
    if (servers < 1 || servers >= ranks || floats < servers || trials < 1) {
        fprintf(stderr, "expected SERVERS BYTES TRIALS, and more ranks than servers\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    float *update = malloc(floats * sizeof(float));
    float *parameters = calloc(floats, sizeof(float));
    MPI_Comm *comms = malloc(servers * sizeof(MPI_Comm));
    if (update == NULL || parameters == NULL || comms == NULL) {
        fprintf(stderr, "no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int s = 0; s < servers; s++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank == s || rank >= servers ? 0 : MPI_UNDEFINED, rank, &comms[s]);
    }
    for (long i = 0; i < floats; i++) {
        update[i] = rank < servers ? value(i) : 0;
    }
    for (int trial = 0; trial < trials; trial++) {
        if (rank == 0) {
            printf("ready\n");
            fflush(stdout);
        }
        line(rank);
        double usedBefore = used();
        double start = now();
        for (int s = 0; s < servers; s++) {
            if (comms[s] == MPI_COMM_NULL) {
                continue;
            }
            long from = floats * s / servers;
            long count = floats * (s + 1) / servers - from;
            MPI_Bcast(update + from, (int) count, MPI_FLOAT, 0, comms[s]);
            if (rank >= servers) {
                for (long i = from; i < from + count; i++) {
                    parameters[i] += update[i];
                }
            }
        }
        double end = now();
        double mine[3] = {rank < servers ? -start : -1e300, rank < servers ? -1e300 : end, 0};
        double cpu = used() - usedBefore;
        double last[3], sum;
        MPI_Reduce(mine, last, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        MPI_Reduce(&cpu, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0) {
            printf("took %.9f %.6f\n", last[1] + last[0], sum);
            fflush(stdout);
        }
        line(rank);
        if (rank >= servers) { /* or a broadcast that did nothing would look done */
            for (long i = 0; i < floats; i++) {
                update[i] = 0;
            }
        }
    }
    for (long i = 0; rank >= servers && i < floats; i++) {
        if (parameters[i] != trials * value(i)) {
            fprintf(stderr, "parameter %ld of rank %d is %g, expected %g\n", i, rank, parameters[i],
                    trials * value(i));
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Finalize();
    return 0;
}
