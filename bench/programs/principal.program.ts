/** Measured program: publishes as turns of the engine, that name a caller or none. */
import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/engine/clock.js';
import { Caller } from '../../src/engine/principal/principal.js';
import { openMessageEngine } from '../load/message-engine.js';
import { publishOf } from '../load/message-events.js';
import type { Round } from '../measure/contest.js';
import { openFolder } from '../measure/stored-folder.js';
import { answer, ready, settings } from './measured-program.js';

/** How the program is started. */
export interface PrincipalSettings {
  readonly directory: string;
  /** Whether events name a caller, as those of requests do. */
  readonly isNamed: boolean;
}

/** Turns that share a commit, as under so many connections. */
const turnsAtOnce = 64;
const delayMs = 86_400_000;

const { directory, isNamed } = settings<PrincipalSettings>();
const store = await openFolder(directory);
const { engine } = await openMessageEngine(store);
const body = randomBytes(1024);
let number = 0;

function publish(): Promise<unknown> {
  number += 1;
  const at = systemClock.now();
  const url = 'http://127.0.0.1:8080/orders';
  const command = publishOf({ number, url, body, at, notBefore: at + delayMs });
  const by = isNamed ? new Caller('env:1', '127.0.0.1', `k3x9q2ab-${number.toString(36)}`) : null;
  return engine.dispatch([command], by);
}

async function run(seconds: number): Promise<Round> {
  const start = performance.now();
  let operations = 0;
  while (performance.now() - start < seconds * 1000) {
    await Promise.all(Array.from({ length: turnsAtOnce }, publish));
    operations += turnsAtOnce;
  }
  return { operations, seconds: (performance.now() - start) / 1000, latencies: [] };
}

answer(({ seconds }: { readonly seconds: number }) => run(seconds));
ready(directory);
