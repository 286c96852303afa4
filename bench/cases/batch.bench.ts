/** Publish in batches over HTTP. Messages are due in an hour: none is sent. */
import { join } from 'node:path';
import { underLoad } from '../load/load.js';
import { journalBytes } from '../load/message-events.js';
import { startBareServer } from '../measure/bare-server.js';
import type { Case, Contest } from '../measure/contest.js';
import { bearer, startStepwell } from '../measure/stepwell-server.js';

const connections = 16;
const messages = 100;
const destination = 'http://127.0.0.1:8080/orders';

export const batchCases: readonly Case[] = [100, 1024].map(
  (bodyBytes): Case => ({
    scenario: 'batch',
    name: `${messages} messages of ${bodyBytes} B, ${connections} in flight`,
    beside: 'bare loop',
    unit: 'messages',
    goal: null,
    compares: 'rate',
    share: 1,
    contest: (directory) => batchContest(directory, bodyBytes),
  }),
);

async function batchContest(directory: string, bodyBytes: number): Promise<Contest> {
  const text = 'x'.repeat(bodyBytes);
  const at = Date.now();
  const message = { number: 0, url: destination, body: Buffer.from(text), at, notBefore: at };
  const item = { destination, headers: { 'svc-delay': '1h' }, body: text };
  const body = Buffer.from(JSON.stringify(Array(messages).fill(item)));
  const recordBytes = journalBytes(message).published;
  const stepwell = await startStepwell(join(directory, 'stepwell'));
  const bare = await startBareServer({
    directory: join(directory, 'bare'),
    besideBytes: Math.max(0, messages * recordBytes - body.length),
    prepares: true,
    delivery: null,
  });
  const stop = async () => {
    await stepwell.stop();
    await bare.stop();
  };
  const load = {
    path: '/v2/batch',
    connections,
    headers: { authorization: bearer, 'content-type': 'application/json' },
    body,
    operationsEach: messages,
  };
  return { stepwell: underLoad(stepwell, load), beside: underLoad(bare, load), stop };
}
