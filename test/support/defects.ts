// Loaded into the process of a gateway by `--import`. Two signals cause errors that the gateway does not catch.

/** Properties of the error besides its message, such as the request that a library adds to its errors. */
const carried = JSON.parse(process.env['DEFECT_CARRIES'] ?? '{}') as object;

process.on('SIGUSR2', () => {
  throw Object.assign(new Error(process.env['DEFECT_SAYS'] ?? 'thrown by the test'), carried);
});

process.on('SIGPIPE', () => {
  void Promise.reject(new Error('rejected by the test'));
});
