// Loaded into a gateway's process by `--import`: makes it fail, on signals, in ways that nothing of it catches.

process.on('SIGUSR2', () => {
  throw new Error('thrown by the test');
});

process.on('SIGPIPE', () => {
  void Promise.reject(new Error('rejected by the test'));
});
