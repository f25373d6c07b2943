// Loaded into a gateway's process by `--import`: makes it fail, on signals, in ways that nothing of it catches.

/** What the error carries besides its message, as errors of libraries carry a request. */
const carried = JSON.parse(process.env['DEFECT_CARRIES'] ?? '{}') as object;

process.on('SIGUSR2', () => {
  throw Object.assign(new Error(process.env['DEFECT_SAYS'] ?? 'thrown by the test'), carried);
});

process.on('SIGPIPE', () => {
  void Promise.reject(new Error('rejected by the test'));
});
