/** Measured program: pages of the log of messages, by the real listing or by a bare loop. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/engine/clock.js';
import { Payloads } from '../../src/engine/payloads.js';
import { MessageContents } from '../../src/messaging/delivery/message-contents.js';
import { parseLogQuery } from '../../src/messaging/logs/logs.request.js';
import { MessageLog } from '../../src/messaging/logs/message-log.js';
import { StoredMessages } from '../../src/messaging/messages/stored-messages.js';
import { RunArchive } from '../../src/workflows/deliveries/run-archive.js';
import { RunEntries } from '../../src/workflows/deliveries/run-entries.js';
import {
  type Published,
  type Question,
  type QuestionName,
  questionOf,
} from '../load/log-questions.js';
import { openMessageEngine } from '../load/message-engine.js';
import type { Round } from '../measure/contest.js';
import { bareMessages, lineBytes } from '../measure/log-journal.js';
import { openFolder } from '../measure/stored-folder.js';
import { answer, ready, settings } from './measured-program.js';

/** How the program is started. */
export interface LogSettings {
  readonly side: 'stepwell' | 'bare';
  readonly question: QuestionName;
  /** Made by `buildLogJournal`. */
  readonly directory: string;
}

type Ask = (question: Question) => Promise<string> | string;

const { side, question, directory } = settings<LogSettings>();
const file = openSync(join(directory, bareMessages), 'r');
const published: Published = {
  total: statSync(join(directory, bareMessages)).size / lineBytes,
  begin: lineAt(0).at,
};
process.once('exit', () => closeSync(file));

interface Line {
  readonly id: string;
  readonly at: number;
}

function lineAt(number: number): Line {
  const line = Buffer.allocUnsafe(lineBytes);
  readSync(file, line, 0, lineBytes, number * lineBytes);
  return JSON.parse(line.toString()) as Line;
}

/** Reads each message from where it is known to be and writes its rows. */
function askBare({ messages, rowsEach }: Question): string {
  const logs = messages.flatMap((number) => {
    const line = lineAt(number);
    const row = { ...line, state: 'DELIVERED', method: 'POST', maxRetries: 3, responseStatus: 200 };
    return Array.from({ length: rowsEach }, () => row);
  });
  return JSON.stringify({ logs });
}

/** The listing of the server, without HTTP around it. */
async function openLog(): Promise<Ask> {
  const store = await openFolder(join(directory, 'data'), true);
  const { engine, journal } = await openMessageEngine(store);
  await journal.learnShapes();
  const payloads = new Payloads(journal, 1024 * 1024);
  const noRuns = {
    active: () => undefined,
    shown: <Value>(read: () => Value) => engine.shown(read),
  };
  const runs = new RunEntries(noRuns, new RunArchive(journal, payloads));
  const contents = new MessageContents(payloads, new StoredMessages(payloads), runs);
  const log = new MessageLog({
    journal,
    shown: async (read) => read(),
    running: () => [],
    messages: {
      journal,
      publishedOffset: () => undefined,
      body: (message) => contents.read(message),
    },
    clock: systemClock,
    retentionMs: 7 * 24 * 3600 * 1000,
    attemptMsMax: 900_000,
    // A page that waits for the processor is measured, not cut short.
    budget: { events: 20_000, milliseconds: Number.POSITIVE_INFINITY },
  });
  return async ({ query, messages, rowsEach }) => {
    const parsed = parseLogQuery(`/v2/logs?${query}`);
    if (!parsed.ok) throw new Error(parsed.message);
    const { rows } = await log.page(parsed.value);
    const expected = Math.min(100, messages.length * rowsEach);
    if (rows.length !== expected) throw new Error(`${query}: ${rows.length} rows, not ${expected}`);
    return JSON.stringify({ logs: rows });
  };
}

async function pages(ask: Ask, seconds: number): Promise<Round> {
  const latencies: number[] = [];
  const start = performance.now();
  while (performance.now() - start < seconds * 1000) {
    const number = Math.floor(Math.random() * published.total);
    const began = performance.now();
    await ask(questionOf(question, number, published));
    latencies.push(performance.now() - began);
  }
  const elapsed = (performance.now() - start) / 1000;
  return { operations: latencies.length, seconds: elapsed, latencies };
}

const ask = side === 'bare' ? askBare : await openLog();
answer(({ seconds }: { seconds: number }) => pages(ask, seconds));
ready(directory);
