/** New work waits in the intake, if that has a place for it, until it is done. */
import type { Intake } from '../../http/intake.js';
import type { Exchange } from '../../http/routes/exchange.js';

/** Does `work`, which answers; or refuses, where nothing is taken in now. */
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
