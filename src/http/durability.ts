/** How durable an acknowledgement is, in the header `Stepwell-Durability` (messaging.md 1.1). */
import type { FastifyInstance } from 'fastify';
import type { FsyncMode } from '../../storage/disk/fsync-mode.js';
import { isReading, type RouteDescription } from './routes/route-description.js';

/**
 * `fsync`: the change is on disk; `os`: the operating system has it and writes it at some time;
 * `replicated`: it is in the log that the nodes of a cluster share, and on the disk of this node.
 */
export type Durability = 'fsync' | 'os' | 'replicated';

/** The settings that decide it. */
export interface DurabilitySettings {
  readonly fsync: FsyncMode;
  /** Where the nodes of a cluster commit; null or absent = no cluster. */
  readonly commitLog?: readonly string[] | null;
}

/** The durability of an fsync mode: only the strict one waits for the disk. */
export function durabilityOf({ fsync, commitLog = null }: DurabilitySettings): Durability {
  if (commitLog !== null) return 'replicated';
  return fsync === 'strict' ? 'fsync' : 'os';
}

/** Whether a success by this method says it: one that reads does not, unless its route writes. */
export function saysDurability(method: string, description: RouteDescription | null): boolean {
  return !isReading(method) || description?.changes === true;
}

/** Every success but a read's says it. */
export function tellDurability(fastify: FastifyInstance, durability: Durability): void {
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const { description = null } = request.routeOptions.config;
    const isWrite = saysDurability(request.method, description) && reply.statusCode < 300;
    if (isWrite) reply.header('stepwell-durability', durability);
    done();
  });
}
