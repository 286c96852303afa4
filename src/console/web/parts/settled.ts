/**
 * A typed value, a moment after the last keystroke: otherwise each keystroke would send a request.
 */
import { useEffect, useState } from 'react';
import { after } from '../time/clock.ts';

const settleMs = 300;

/** The latest `value` that did not change for that long. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => after(settleMs, () => setSettled(value)), [value]);
  return settled;
}
