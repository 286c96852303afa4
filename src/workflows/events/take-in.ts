/** Admits new work to the intake, where it counts until it is done. */
import type { Intake } from '../../http/intake.js';
import type { Exchange } from '../../http/routes/exchange.js';

/**
 * Runs `work`, which answers the request; or refuses the request if the intake admits nothing now.
 */
export async function takeIn(
  intake: Intake,
  exchange: Exchange,
  work: () => Promise<void>,
): Promise<void> {
  const { length } = exchange.body;
  const refusal = intake.take(length);
  if (refusal !== null) {
    exchange.refuse(refusal);
    return;
  }
  try {
    await work();
  } finally {
    intake.done(length);
  }
}
