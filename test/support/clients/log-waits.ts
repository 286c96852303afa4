/** What waits in a server in this process: calls of consumers, and readers of a log. */

import { topicLogName } from '../../../src/topics/topics/topic-log-name.js';
import type { AppendWaiters } from '../../../storage/log/waiters.js';
import { Store } from '../../../storage/store.js';
import type { TestServer } from '../server.js';
import { callLog } from './log-api.js';

const pause = () => new Promise((resolve) => setTimeout(resolve, 10));

/** Until the server has begun a call of an instance of this group. */
export async function callOf(server: TestServer, group: string): Promise<void> {
  while (!(await isCalled(server, group))) await pause();
}

/** Until the server knows that the calls of this group have ended: maybe later than its clients. */
export async function callsEnded(server: TestServer, group: string): Promise<void> {
  while (await isCalled(server, group)) await pause();
}

async function isCalled(server: TestServer, group: string): Promise<boolean> {
  const { body } = await callLog(server, `/admin/groups/${group}`);
  const { members = [] } = body as { members?: { isCalling: boolean }[] };
  return members.some(({ isCalling }) => isCalling);
}

/** Until `count` readers wait for a partition to grow. */
export async function readersWait(
  server: TestServer,
  topic: string,
  partition: number,
  count: number,
): Promise<void> {
  const log = server.application.nest
    .get(Store, { strict: false })
    .log(topicLogName(topic, partition));
  if (log === undefined) throw new Error(`${topic} has no partition ${partition}`);
  // The log shows its readers nowhere, and no answer says that a request waits.
  const { waiters } = log as unknown as { readonly waiters: AppendWaiters };
  while (waiters.waiting.size !== count) await pause();
}
