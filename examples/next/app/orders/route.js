/** A route handler that takes what Stepwell delivers, and nothing that another key has signed. */
import { verifySignatureAppRouter } from '@upstash/qstash/nextjs';

export const POST = verifySignatureAppRouter(async (request) => {
  const { order } = await request.json();
  process.stdout.write(`paid order ${order}\n`);
  return new Response();
});
