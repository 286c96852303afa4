/** What is typed, a moment after the last letter: each letter would ask the server. */
import { useEffect, useState } from 'react';
import { after } from '../time/clock.ts';

const settleMs = 300;

/** `value` as it was when it last stood still for so long. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => after(settleMs, () => setSettled(value)), [value]);
  return settled;
}
