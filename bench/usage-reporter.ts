/**
 * Loaded into every measured process before its program: says what the process has used, when the
 * bench asks. It is the same for Stepwell and for the bare loops, and keeps no process alive.
 */
import type { Usage } from './measured-process.js';

process.on('message', (question: unknown) => {
  if (question !== 'usage') return;
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss() };
  process.send?.(usage);
});
// A bench that was killed leaves nothing running behind.
process.once('disconnect', () => process.exit());
process.channel?.unref();
