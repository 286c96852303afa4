import { exportLines } from '../../../src/cli/journal/export-lines.js';

const report = { damages: ['damaged data: x'], gaps: [], changed: [], removedEvents: 0 };

it('the lines of an export use the singular for one stream and omit what did not happen', () => {
  const lines = exportLines('data', 'good', { ...report, uncertain: ['message/msg_1'] });
  expect(lines.slice(2, 4)).toEqual([
    '1 stream may have continued in the lost part:',
    '  message/msg_1',
  ]);
  expect(lines.join('\n')).not.toContain('could not stay');
});

it('the lines of an export count streams and events', () => {
  const changed = [
    { stream: 'run/a', outcome: 'cut back' as const, kept: 1, removed: 1 },
    { stream: 'run/b', outcome: 'cut back' as const, kept: 2, removed: 1 },
  ];
  const lines = exportLines('data', 'good', {
    ...report,
    changed,
    uncertain: [],
    removedEvents: 1,
  });
  expect(lines.slice(2, 6)).toEqual([
    '1 event depend on lost events and were left out',
    '2 streams cut back to before the loss: what happened since may happen again:',
    '  run/a (1 event)',
    '  run/b (2 events)',
  ]);
});
