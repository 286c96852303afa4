/** Where in a log a request wants to be: at an end, at an offset, or at a time. */
import { z } from 'zod';
import type { PartitionLog } from '../../../storage/log/partition-log.js';

const whole = z.int().min(0);

/** A refusal says what is wrong under the first form, so that one names them all. */
const forms = 'must be earliest, latest, an offset, {"offset"} or {"timestamp"}';

/** As a request names it; a bare number is an offset, times are Unix milliseconds. */
export const offsetTargetSchema = z.union([
  z.literal('earliest', { error: forms }),
  z.literal('latest'),
  whole,
  z.strictObject({ offset: whole }),
  z.strictObject({ timestamp: whole }),
]);
/** What `offsetTargetSchema` describes. */
export type OffsetTarget = z.output<typeof offsetTargetSchema>;

/** The offset that is meant; one that was named stands as it is, even where the log has none. */
export async function offsetOfTarget(log: PartitionLog, target: OffsetTarget): Promise<number> {
  if (target === 'earliest') return log.startOffset;
  if (target === 'latest') return log.highWatermark;
  if (typeof target === 'number') return target;
  return 'offset' in target ? target.offset : log.offsetFor(target.timestamp);
}
