/** How listings describe what they could not read. */
import { z } from 'zod';
import { once } from '../grammar/once.js';

/** Beside the rows of a listing: at most ten places, named as `stepwell journal verify` does. */
export const damagedSchema = once(() =>
  z
    .array(z.object({ error: z.string() }))
    .readonly()
    .describe('Damaged places on the disk, without which the rows are; absent: there are none')
    .exactOptional(),
);
