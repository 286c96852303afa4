/** Keyboard shortcuts: one key (`/`, `j`) or two in sequence (`g r`). */
import { useEffect, useRef } from 'react';
import { now } from '../time/clock.ts';

/** Maps keys, written as for people, to their actions. */
export type Keys = Readonly<Record<string, () => void>>;

const pairMs = 1000;

/**
 * Enables these keys while the component is mounted, except while text is typed or a dialog is
 * open.
 */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let first = { key: '', at: 0 };
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      // Enter on a button or a link activates that instead.
      if (event.key === 'Enter' && isPressed(event.target)) return;
      if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
      const pair = now() - first.at < pairMs ? `${first.key} ${event.key}` : '';
      first = { key: event.key, at: now() };
      const work = latest.current[pair] ?? latest.current[event.key];
      if (work === undefined) return;
      event.preventDefault();
      first.at = 0;
      work();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

/** A field of a dialog that was just closed keeps the focus until the browser draws again. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('dialog:not([open])') === null &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}

function isPressed(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a, button, summary') !== null;
}
