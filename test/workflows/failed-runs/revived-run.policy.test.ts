import { Packr } from 'msgpackr';
import type { MessagePublished } from '../../../src/messaging/messages/message.events.js';
import type { RevivalOverrides } from '../../../src/workflows/failed-runs/revival.request.js';
import {
  inheritanceOf,
  type Revival,
  restartedRun,
  resumedRun,
} from '../../../src/workflows/failed-runs/revived-run.policy.js';
import type {
  Inheritance,
  RunEntry,
  StepInfo,
} from '../../../src/workflows/run-state/run.events.js';
import { envelope } from '../../support/envelope.js';
import { epochMs } from '../../support/given.js';
import { callbackOptions, messageOptions } from '../../support/message-options.js';
import { openFailedRunEngine } from '../../support/workflows/failed-run-engine.js';
import {
  planOf,
  runConfiguration,
  runTermsOf,
  startRun,
  stepInfo,
  submitStep,
} from '../../support/workflows/run-commands.js';
import { runPlace } from '../../support/workflows/run-place.js';

const at = epochMs + 5000;
const noOverrides: RevivalOverrides = {
  delayMs: 0,
  notBefore: null,
  message: {},
  flowControl: { key: null, value: null },
  runId: null,
  failureCallback: null,
};

function revival(changes: Partial<RevivalOverrides> = {}): Revival {
  let named = 0;
  const next = () => {
    named += 1;
    return `new_${named}`;
  };
  return { id: 'wfr_new', at, names: { next }, overrides: { ...noOverrides, ...changes } };
}

const { headers: _, ...failureCallback } = callbackOptions({ maxRetries: 2 });
const configuration = runConfiguration({
  dialect: 'upstash',
  terms: runTermsOf({ labels: ['old'], failureCallback }),
  headers: ['X-Tenant', 'acme', 'Upstash-Label', 'old'],
  failureHeaders: ['X-Tenant', 'acme'],
});
const remains = { configuration, payload: Buffer.from('{"n":1}'), payloadOffset: 3 };

const entryOf = (messageId: string, step: StepInfo): RunEntry => ({
  messageId,
  offset: 10,
  step,
  bytes: 7,
});
const inheritance = (changes: Partial<Inheritance> = {}): Inheritance => ({
  runId: 'wfr_old',
  entries: [entryOf('msg_0', stepInfo(0)), entryOf('msg_1', stepInfo(1))],
  calls: [],
  waits: [],
  notifications: [],
  invocations: [],
  ...changes,
});

function published(
  id: string,
  changes: Partial<MessagePublished>,
  offset = 20,
): ReturnType<typeof envelope<MessagePublished>> {
  return envelope({ type: 'MessagePublished', ...messageOptions(changes) }, { id, offset });
}
const stepOf = (id: string, entry: number, changes: Partial<MessagePublished> = {}, offset = 20) =>
  published(id, { run: runPlace({ role: 'step', entry }), ...changes }, offset);

describe('a restarted run', () => {
  it('has the configuration and the payload, which is not stored again', () => {
    expect(restartedRun(remains, revival())).toEqual({
      type: 'StartRun',
      kind: 'run',
      id: 'wfr_new',
      at,
      configuration,
      messageId: 'new_1',
      payload: remains.payload,
      payloadOffset: 3,
      notBefore: at,
      isTakeover: false,
      invoker: null,
      inherited: null,
      repeated: [],
      handedOver: [],
    });
  });

  it('starts at the requested time', () => {
    expect(restartedRun(remains, revival({ delayMs: 500 })).notBefore).toBe(at + 500);
    const moment = revival({ delayMs: 500, notBefore: at + 9000 });
    expect(restartedRun(remains, moment).notBefore).toBe(at + 9000);
  });

  it('is delivered with the requested options, and its endpoint gets its labels', () => {
    const changes = { message: { maxRetries: 9, labels: ['new', 'newer'] } };
    const changed = restartedRun(remains, revival(changes)).configuration;
    expect(changed.terms).toEqual({ ...configuration.terms, ...changes.message });
    const labels = ['X-Tenant', 'acme', 'Upstash-Label', 'new,newer'];
    expect(changed).toMatchObject({ headers: labels, failureHeaders: labels });
  });

  it('calls the requested failure callback, with the options of the old one if any', () => {
    const wanted = revival({ failureCallback: 'https://example.com/failed' });
    const callback = restartedRun(remains, wanted).configuration.terms.failureCallback;
    expect(callback).toEqual({ ...failureCallback, url: 'https://example.com/failed' });
    const silent = { ...remains, configuration: runConfiguration() };
    expect(restartedRun(silent, wanted).configuration.terms.failureCallback).toMatchObject({
      url: 'https://example.com/failed',
      method: 'POST',
      maxRetries: 3,
    });
  });
});

describe('a resumed run', () => {
  it('has the entries of the old run, and delivers the last one with a new message id', () => {
    const failed = stepOf('msg_1', 1, { headers: ['X-Own', '1'], maxRetries: 4 });
    const { inherited, repeated, messageId } = resumedRun(
      remains,
      inheritance(),
      [failed],
      revival(),
    );
    expect(messageId).toBe('msg_0');
    expect(inherited?.entries).toEqual([
      entryOf('msg_0', stepInfo(0)),
      entryOf('new_1', stepInfo(1)),
    ]);
    const { type, ...message } = failed.event;
    expect(repeated).toEqual([{ messageId: 'new_1', message: { ...message, notBefore: at } }]);
  });

  it('starts with another message id if the old run had no results', () => {
    const alone = inheritance({ entries: [entryOf('msg_0', stepInfo(0))] });
    const resumed = resumedRun(remains, alone, [stepOf('msg_0', 0)], revival());
    expect(resumed.messageId).toBe('new_1');
  });

  it('delivers once what had been delivered twice with different message ids', () => {
    const twice = [stepOf('msg_again', 0, { maxRetries: 2 }, 30), stepOf('msg_0', 0, {}, 20)];
    const { repeated } = resumedRun(remains, inheritance(), twice, revival());
    expect(repeated).toMatchObject([{ messageId: 'new_1', message: { maxRetries: 2 } }]);
  });

  it('delivers all branches that were in progress, a sleeping one when it is due', () => {
    const entries = [0, 1, 2].map((each) => entryOf(`msg_${each}`, planOf(each)));
    const asleep = stepOf('msg_2', 2, { notBefore: at + 60_000 }, 21);
    const { inherited, repeated } = resumedRun(
      remains,
      inheritance({ entries }),
      [asleep, stepOf('msg_1', 1, { notBefore: at - 60_000 }, 20)],
      revival({ delayMs: 1000 }),
    );
    expect(inherited?.entries.map(({ messageId }) => messageId)).toEqual([
      'msg_0',
      'new_1',
      'new_2',
    ]);
    expect(repeated.map(({ message }) => message.notBefore)).toEqual([at + 1000, at + 60_000]);
  });

  it('changes how its own steps are delivered, and nothing about a call', () => {
    const step = stepInfo(2, { type: 'Call' });
    const call = published('msg_call', {
      run: runPlace({ role: 'call', entry: -1 }),
      callback: callbackOptions({ maxRetries: 1 }),
      maxRetries: 1,
      bodyBytes: 9,
    });
    const { inherited, repeated } = resumedRun(
      remains,
      inheritance({ calls: [{ step, messageId: 'msg_call' }] }),
      [call, stepOf('msg_1', 1, {}, 21)],
      revival({ message: { maxRetries: 8 } }),
    );
    expect(repeated).toMatchObject([
      {
        messageId: 'new_1',
        message: { maxRetries: 1, bodyOffset: 20, callback: { maxRetries: 8 } },
      },
      { messageId: 'new_2', message: { maxRetries: 8, bodyOffset: null, callback: null } },
    ]);
    expect(inherited?.calls).toEqual([{ step, messageId: 'new_1' }]);
  });

  it('keeps a call whose answer is delivered again, and no finished call', () => {
    const callbackOf = {
      kind: 'callback' as const,
      messageId: 'msg_call',
      publishedOffset: 1,
      attemptOffset: 2,
      dlqId: null,
    };
    const answer = published('msg_answer', {
      run: runPlace({ role: 'callResult', entry: -1 }),
      callbackOf,
    });
    const open = { step: stepInfo(2), messageId: 'msg_call' };
    const calls = [open, { step: stepInfo(3), messageId: 'msg_done' }];
    const { inherited, repeated } = resumedRun(
      remains,
      inheritance({ calls }),
      [answer],
      revival(),
    );
    expect(inherited?.calls).toEqual([open]);
    expect(repeated).toMatchObject([{ message: { callbackOf, bodyOffset: null } }]);
  });

  it('takes over everything that waits, unchanged', () => {
    const waits = [{ step: stepInfo(4), eventId: 'paid', deadline: at + 9, offset: 12 }];
    const notifications = [{ eventId: 'sent', offset: 13, bytes: 2 }];
    const invocations = [{ step: stepInfo(5), runId: 'wfr_child', messageId: 'msg_child' }];
    const before = inheritance({ waits, notifications, invocations });
    const { inherited } = resumedRun(remains, before, [stepOf('msg_1', 1)], revival());
    expect(inherited).toMatchObject({ waits, notifications, invocations });
  });
});

describe('the inheritance of a run', () => {
  it('is what the journal can store, and nothing of how memory holds it', async () => {
    const opened = await openFailedRunEngine();
    await opened.ask(startRun());
    await opened.ask(submitStep(stepInfo(1)));
    await opened.attempted('msg_1', 500, { nonRetryable: true });
    const [run] = opened.all();
    if (run === undefined) throw new Error('the run has not failed');
    const remains = await opened.records.remainsOf(run);
    const inherited = inheritanceOf(run.runId, remains, []);
    expect(Object.keys(inherited).sort()).toEqual(Object.keys(inheritance()).sort());
    expect(inheritanceOf(run.runId, remains, ['wfr_0'])).toEqual({
      ...inherited,
      announcers: ['wfr_0'],
    });
    expect(inherited.entries.map(({ messageId }) => messageId)).toEqual(['msg_0', 'msg_1']);
    const packr = new Packr();
    expect(packr.unpack(packr.pack(inherited))).toEqual(inherited);
    await opened.close();
  });
});
