import { SeededNames } from '../../src/engine/identifiers.js';

test('names of one seed are never the same, and begin again after a restart', () => {
  const names = new SeededNames(() => 'SEED');
  const made = Array.from({ length: 5000 }, () => names.next('msg'));
  expect(made.slice(0, 3)).toEqual(['msg_SEED1', 'msg_SEED2', 'msg_SEED3']);
  expect(new Set(made).size).toBe(made.length);
  names.restart();
  expect(names.next('msg')).toBe('msg_SEED1');
});
