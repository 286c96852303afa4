import type { AttemptFailed } from '../../../src/messaging/messages/message.events.js';
import { stepError } from '../../../src/workflows/shown-steps/step-object.js';
import { envelope } from '../../support/envelope.js';

const failed = (status: number, error: string | null, body: Buffer | null) =>
  envelope<AttemptFailed>(
    {
      type: 'AttemptFailed',
      attempt: 0,
      startedAt: 0,
      durationMs: 1,
      status,
      headers: ['x-why', 'so'],
      error,
      retryAt: 0,
    },
    { at: 5, body },
  );

describe('an attempt that failed', () => {
  it('is shown with the answer of the endpoint, as text', () => {
    expect(stepError(failed(500, null, Buffer.from('{"message":"no"}')), null)).toEqual({
      status: 500,
      error: 'the destination answered 500',
      body: '{"message":"no"}',
      headers: { 'X-Why': ['so'] },
      time: 5,
    });
  });

  it('has no status if no endpoint answered, and always an error text', () => {
    const shown = stepError(failed(0, 'connection refused', null), null);
    expect(shown).not.toHaveProperty('status');
    expect(shown).toMatchObject({ error: 'connection refused', body: '' });
  });

  it('shows the requested length of the answer', () => {
    const body = Buffer.from('oops');
    expect(stepError(failed(500, null, body), 2).body).toBe('oo');
    expect(stepError(failed(500, null, body), -1).body).toBe('');
  });
});
