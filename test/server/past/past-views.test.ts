import { pino } from 'pino';
import { systemClock } from '../../../src/engine/clock.js';
import { JournalSweeps } from '../../../src/engine/history/journal-sweeps.js';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { Journal } from '../../../src/engine/journal.js';
import { Refusal } from '../../../src/grammar/result.js';
import { readConfiguration } from '../../../src/server/configuration/config.js';
import {
  type OpenPast,
  type PastAnswer,
  PastTooLarge,
  tooMuchMemory,
} from '../../../src/server/past/past-server.js';
import { PastViews } from '../../../src/server/past/past-views.js';
import { openPastApplication } from '../../../src/server/past-application.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';

const answered: PastAnswer = { status: 200, contentType: null, body: Buffer.from('{}') };

let server: TestServer;
/** Targets in the order in which the past server was asked for them. */
let asked: string[];

beforeAll(async () => {
  server = await startServer();
  await callApi(server, 'POST', '/v2/queues', {}, JSON.stringify({ queueName: 'q' }));
});

beforeEach(() => {
  asked = [];
});

afterAll(() => server.remove());

/** Views whose past server is opened by `opened` and answers every request. */
function viewsOf(opened: (count: number) => Promise<void>): PastViews {
  let count = 0;
  const open: OpenPast = async () => {
    count += 1;
    await opened(count);
    return {
      reaches: Number.POSITIVE_INFINITY,
      async ask({ target }) {
        asked.push(target);
        return answered;
      },
      end: async () => undefined,
    };
  };
  const { nest } = server.application;
  const sweeps = nest.get(JournalSweeps, { strict: false });
  const journal = nest.get(Journal, { strict: false });
  return new PastViews(open, sweeps, journal, systemClock, pino({ level: 'silent' }));
}

const question = (target: string, isWanted = () => true) => {
  return { role: 'read', target, asOf: { offset: 1 }, isWanted } as const;
};

const codeOf = (answer: PastAnswer | Refusal) =>
  answer instanceof Refusal ? answer.code : answer.status;

describe('questions about the past', () => {
  it('wait in a line of sixteen; further ones are refused with a time to retry', async () => {
    let open = () => {};
    const opening = new Promise<void>((resolve) => {
      open = resolve;
    });
    const views = viewsOf(() => opening);
    const early: (PastAnswer | Refusal)[] = [];
    const answers = Array.from({ length: 30 }, async (_, index) => {
      const answer = await views.answer(question(`/${index}`));
      early.push(answer);
      return answer;
    });
    while (early.length < 14) await new Promise((resolve) => setImmediate(resolve));
    for (const refused of early) {
      expect(refused).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '10' } });
    }
    open();
    const codes = (await Promise.all(answers)).map(codeOf);
    expect(codes.filter((code) => code === 200)).toHaveLength(16);
    await views.stop();
  });

  it('are only answered once, as the past does not change', async () => {
    const views = viewsOf(async () => undefined);
    for (const target of ['/a', '/b', '/a']) {
      expect(codeOf(await views.answer(question(target)))).toBe(200);
    }
    expect(asked).toEqual(['/a', '/b']);
    await views.stop();
  });

  it('are not asked for a client that has gone', async () => {
    const views = viewsOf(async () => undefined);
    await views.answer(question('/gone', () => false));
    expect(asked).toEqual([]);
    await views.stop();
  });

  it('are asked again once if the folder has changed meanwhile, and then refused', async () => {
    const failing = (times: number) =>
      viewsOf(async (count) => {
        if (count <= times) throw new Error('ENOENT');
      });
    expect(codeOf(await failing(1).answer(question('/')))).toBe(200);
    expect(codeOf(await failing(2).answer(question('/')))).toBe('unavailable');
  });

  it('are refused if the past state is too large', async () => {
    const views = viewsOf(async () => {
      throw new PastTooLarge('too large');
    });
    expect(codeOf(await views.answer(question('/')))).toBe('unprocessable');
  });
});

describe('the past server', () => {
  it('stops folding if its memory is not sufficient', async () => {
    const { config } = readConfiguration({ STEPWELL_DATA_DIR: server.dataDirectory });
    const until = server.application.nest.get(Journal, { strict: false }).highWatermark;
    const view = {
      ...{ until, at: Date.now() },
      throwIfStopped() {
        throw tooMuchMemory();
      },
    };
    const fatal = (error: unknown) => {
      throw error;
    };
    const ports = {
      ...{ clock: systemClock, identifiers: systemIdentifiers, disk: nodeDisk, fatal },
    };
    await expect(openPastApplication(config, view, ports)).rejects.toThrow(PastTooLarge);
  });
});
