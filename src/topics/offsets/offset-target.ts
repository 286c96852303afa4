/** The target of a seek or reset in a log: an end, an offset, or a time. */
import { z } from 'zod';
import type { PartitionLog } from '../../../storage/log/partition-log.js';

const whole = z.int().min(0);

/**
 * The error text of the first form lists all forms, because a refusal reports the first form's
 * error.
 */
const forms = 'must be earliest, latest, an offset, {"offset"} or {"timestamp"}';

/** How a request names a target; a plain number is an offset, times are Unix milliseconds. */
export const offsetTargetSchema = z.union([
  z.literal('earliest', { error: forms }),
  z.literal('latest'),
  whole,
  z.strictObject({ offset: whole }),
  z.strictObject({ timestamp: whole }),
]);
/** What `offsetTargetSchema` describes. */
export type OffsetTarget = z.output<typeof offsetTargetSchema>;

/**
 * The offset of a target; an explicit offset is returned unchanged, even if the log does not have
 * it.
 */
export async function offsetOfTarget(log: PartitionLog, target: OffsetTarget): Promise<number> {
  if (target === 'earliest') return log.startOffset;
  if (target === 'latest') return log.highWatermark;
  if (typeof target === 'number') return target;
  return 'offset' in target ? target.offset : log.offsetFor(target.timestamp);
}
