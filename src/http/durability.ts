/** How durable an acknowledgement is, in its header `Stepwell-Durability` (messaging.md 1.1). */
import type { FastifyInstance } from 'fastify';
import type { FsyncMode } from '../../storage/disk/fsync-mode.js';

/**
 * `fsync`: it is on disk; `os`: the operating system has it, and writes it when it likes;
 * `replicated`: the log that the nodes of a cluster share has it, and this node's disk.
 */
export type Durability = 'fsync' | 'os' | 'replicated';

/** The setting that decides it. */
export interface DurabilitySettings {
  readonly fsync: FsyncMode;
  /** Where nodes of a cluster commit; null or absent: nowhere. */
  readonly commitLog?: readonly string[] | null;
}

/** The promise of an fsync mode: only the strict one waits for the disk. */
export function durabilityOf({ fsync, commitLog = null }: DurabilitySettings): Durability {
  if (commitLog !== null) return 'replicated';
  return fsync === 'strict' ? 'fsync' : 'os';
}

/** Every success but a read's says it. Routes that write by `GET` say it themselves. */
export function tellDurability(fastify: FastifyInstance, durability: Durability): void {
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const isWrite = request.method !== 'GET' && reply.statusCode < 300;
    if (isWrite) reply.header('stepwell-durability', durability);
    done();
  });
}
