/** A dialog: the browser's own, which keeps the focus inside and closes on Escape. */
import { X } from 'lucide-react';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import type { Need } from '../api/session.ts';
import { Action, Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** It is open as long as it is rendered. */
export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A layout effect ends while the dialog is still in the page: closing it returns the focus to
  // where it was.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Otherwise the browser would focus the close button first.
    shown?.querySelector<HTMLElement>('input, textarea, select')?.focus();
    return () => shown?.close();
  }, []);
  // The event comes late: in development, React opens the dialog a second time before it.
  const closed = () => {
    if (dialog.current?.open === false) close();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={closed}
      className="m-auto w-[min(42rem,calc(100vw-2rem))] rounded-lg border border-line bg-surface text-left whitespace-normal text-ink shadow-xl"
    >
      <div className="flex items-center border-b border-line px-4 py-2.5">
        <h2 id={id} className="min-w-0 font-semibold wrap-anywhere">
          {title}
        </h2>
        <button
          type="button"
          aria-label="Close"
          onClick={close}
          className="ml-auto rounded p-1 text-muted hover:bg-raised"
        >
          <X className="size-4" />
        </button>
      </div>
      <div className="max-h-[80vh] overflow-auto p-4">{children}</div>
    </dialog>
  );
}

interface SubmitRowProps {
  /** The label of the submit button. */
  readonly children: ReactNode;
  readonly needs?: Need;
  readonly disabled: boolean;
  readonly close: () => void;
}

/** The end of a dialog's form: its submit button, and a button that closes the dialog. */
export function SubmitRow({ children, needs = 'operate', disabled, close }: SubmitRowProps) {
  return (
    <div className="flex gap-2">
      <Action needs={needs} type="submit" look="main" disabled={disabled}>
        {children}
      </Action>
      <Button onClick={close}>Close</Button>
    </div>
  );
}
