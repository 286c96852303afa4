/** Describes what listings could not read. */
import { z } from 'zod';
import { once } from '../grammar/once.js';

/** A field of listings: at most ten places, named as by `stepwell journal verify`. */
export const damagedSchema = once(() =>
  z
    .array(z.object({ error: z.string() }))
    .readonly()
    .describe(
      'Damaged places on the disk, whose rows are missing here; absent if there is no damage',
    )
    .exactOptional(),
);
