import type { EventEnvelope } from '../../../src/engine/decider.js';
import { nothingHidden } from '../../../src/server/journal/event-redactions.js';
import { journalJson, journalLine } from '../../../src/server/journal/journal-line.js';

const envelope = (event: { type: string }, body: Buffer | null = null): EventEnvelope => ({
  kind: 'message',
  id: 'msg_1',
  sequence: 0,
  at: Date.UTC(2026, 10, 21, 5, 20, 55, 123),
  offset: 42,
  previous: -1,
  by: null,
  event,
  body,
  byteLength: 0,
});

describe('an event in human words', () => {
  it('is one line with its fields and without empty ones', () => {
    const event = {
      type: 'MessagePublished',
      url: 'https://example.com/a',
      labels: [],
      retryDelay: null,
      headers: ['X', 'two words\nand a line'],
    };
    expect(journalLine(envelope(event, Buffer.from('hello')), nothingHidden)).toBe(
      '42 2026-11-21T05:20:55.123Z message/msg_1#0 MessagePublished ' +
        'url=https://example.com/a headers=["X","two words\\nand a line"] (body 5 bytes)',
    );
  });

  it('reveals no secret in either format', () => {
    const event = {
      type: 'SigningKeysRotated',
      startedFrom: 'ab',
      current: 'sig_1',
      next: 'sig_2',
    };
    for (const shown of [
      journalLine(envelope(event), nothingHidden),
      journalJson(envelope(event), nothingHidden),
    ]) {
      expect(shown).toContain('ab');
      expect(shown).not.toContain('sig_');
    }
  });

  it('is one JSON object for programs, with its body in base64', () => {
    const event = { type: 'MessageCanceled' };
    expect(JSON.parse(journalJson(envelope(event, Buffer.from([0xff])), nothingHidden))).toEqual({
      offset: 42,
      at: Date.UTC(2026, 10, 21, 5, 20, 55, 123),
      kind: 'message',
      id: 'msg_1',
      sequence: 0,
      previous: -1,
      type: 'MessageCanceled',
      by: null,
      bodyBase64: '/w==',
    });
  });
});
