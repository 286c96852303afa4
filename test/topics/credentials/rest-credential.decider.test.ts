import { restCredentialDecider } from '../../../src/topics/credentials/rest-credential.decider.js';
import type { RestCredentialEvent } from '../../../src/topics/credentials/rest-credential.events.js';
import { epochMs, given } from '../../support/given.js';

const address = { kind: 'rest-credential', id: 'it', at: epochMs + 60_000 };
const grant = { digest: 'ab'.repeat(32), permissions: 'PRODUCE', topic: 'rides*' } as const;
const create = { type: 'CreateRestCredential', ...address, ...grant } as const;
const remove = { type: 'DeleteRestCredential', ...address } as const;
const created: RestCredentialEvent = { type: 'RestCredentialCreated', ...grant };
const deleted: RestCredentialEvent = { type: 'RestCredentialDeleted' };
const credential = (...history: RestCredentialEvent[]) =>
  given(restCredentialDecider, null, ...history);

describe('a credential', () => {
  it('is created with its rights, and the digest of its password', () => {
    const { events, state, isFinal } = credential().when(create);
    expect(events).toEqual([created]);
    expect(state).toEqual({
      digest: Buffer.alloc(32, 0xab),
      permissions: 'PRODUCE',
      topic: 'rides*',
      createdAt: epochMs,
    });
    expect(isFinal).toBe(false);
  });

  it('is not created twice, whatever the rights of the second one', () => {
    expect(credential(created).when({ ...create, permissions: 'ALL' })).toMatchObject({
      rejected: { code: 'conflict' },
    });
  });

  it('is gone once it is deleted, and may then be created again', () => {
    expect(credential(created).when(remove)).toMatchObject({ events: [deleted], isFinal: true });
    expect(credential(created, deleted).when(create).events).toEqual([created]);
  });

  it('that does not exist cannot be deleted', () => {
    expect(credential().when(remove)).toMatchObject({ rejected: { code: 'not_found' } });
    expect(credential(created, deleted).when(remove)).toMatchObject({
      rejected: { code: 'not_found' },
    });
  });
});
