/** A workflow behind a route handler. Its deliveries are verified where the keys are set. */
import { serve } from '@upstash/workflow/nextjs';

export const { POST } = serve(async (context) => {
  const { order } = context.requestPayload;
  const label = await context.run('label', () => `P-${order}`);
  await context.sleep('pack', 1);
  const { eventData } = await context.waitForEvent('picked up?', `picked-up-${order}`, {
    timeout: '1h',
  });
  await context.run('tell', () => {
    process.stdout.write(`shipped ${label} with ${eventData.van}\n`);
  });
});
