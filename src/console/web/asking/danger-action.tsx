/** A button for what cannot be taken back: a dialog names what would go, and only that acts. */
import { type ComponentProps, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/states.tsx';

interface Asked {
  /** With the name of what would go: `Revoke the token ci?`. */
  readonly question: string;
  /** What follows from it. */
  readonly means: ReactNode;
  /** The label of the button that acts. */
  readonly confirm: string;
  readonly needs?: ComponentProps<typeof Action>['needs'];
  readonly act: () => Promise<unknown>;
  /** The first parts of the query keys of what it changes. */
  readonly kinds: readonly string[];
  /** Called after it has acted; a promise of it is waited for. */
  readonly done?: () => unknown;
}

/** The label ends with three dots, like that of every button that opens a dialog. */
export function DangerAction({
  question,
  means,
  confirm,
  act,
  kinds,
  done,
  ...button
}: Asked & Omit<ComponentProps<typeof Action>, 'onClick'>) {
  const [isOpen, setOpen] = useState(false);
  const { needs } = button;
  return (
    <>
      <Action look="danger" {...button} onClick={() => setOpen(true)} />
      {isOpen && (
        <DangerDialog
          {...{ question, means, confirm, act, kinds }}
          {...(needs !== undefined && { needs })}
          {...(done !== undefined && { done })}
          close={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** Asks, and is closed once it has acted; a refusal is shown in it. */
export function DangerDialog({
  question,
  means,
  confirm,
  needs = 'operate',
  act,
  kinds,
  done,
  close,
}: Asked & { readonly close: () => void }) {
  const leave = useRef<HTMLButtonElement>(null);
  const change = useChange(act, kinds, () => {
    close();
    // What has gone is not loaded again if this leads away from its page.
    return done?.();
  });
  // Enter must not act: the key that opened the dialog may still be down.
  useLayoutEffect(() => leave.current?.focus(), []);
  return (
    <Dialog title={question} close={close}>
      <p className="mb-3">{means}</p>
      {change.error !== null && <Failure error={change.error} />}
      <div className="flex gap-2">
        <Action
          needs={needs}
          look="danger"
          disabled={change.isPending}
          onClick={() => change.mutate(undefined)}
        >
          {confirm}
        </Action>
        <Button ref={leave} onClick={close}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
