/**
 * Loaded ahead of a program that ends by itself: its last line says what it has used, the process
 * time of all its threads in microseconds.
 */
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`process time ${user + system}\n`);
});

export {};
