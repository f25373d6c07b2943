// Upper bounds of the buckets of every histogram of durations, so that they can be laid over one another.

/** Seconds: from an answer out of the gateway's own memory to the deadline of an operation (OPERATION_TIMEOUT_MS). */
export const durationBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
