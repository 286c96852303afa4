import { SeededNames, systemIdentifiers } from '../../src/engine/identifiers.js';

test('names of one seed are never the same, and begin again after a restart', () => {
  const names = new SeededNames(() => 'SEED');
  const made = Array.from({ length: 5000 }, () => names.next('msg'));
  expect(made.slice(0, 3)).toEqual(['msg_SEED1', 'msg_SEED2', 'msg_SEED3']);
  expect(new Set(made).size).toBe(made.length);
  names.restart();
  expect(names.next('msg')).toBe('msg_SEED1');
  expect([names.next('scd'), names.next('msg'), names.next('msg')]).toEqual([
    'scd_SEED2',
    'msg_SEED3',
    'msg_SEED4',
  ]);
  expect(made.at(-1)).toBe(`msg_SEED${(5000).toString(36)}`);
});

test('a seed is its time, its shard and random letters, so that seeds sort by time', () => {
  const seeds = [5, 31, 32, 1_800_000_000_000].map((at) => systemIdentifiers.turnSeed(at));
  expect(seeds.map((seed) => seed.slice(0, 12))).toEqual([
    '000000000500',
    '000000000Z00',
    '000000001000',
    '01MCC5RM0000',
  ]);
  for (const seed of seeds) expect(seed).toMatch(/^[0-9A-HJKMNP-TV-Z]{23}$/);
  expect([...seeds].sort()).toEqual(seeds);
  const again = Array.from({ length: 5000 }, () => systemIdentifiers.turnSeed(5));
  expect(new Set(again).size).toBe(5000);
});
