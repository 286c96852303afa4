/** The keys that deliveries are signed with: shows them on request, and rotates them. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { CopyButton } from '../parts/code.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Panel } from '../parts/page.tsx';
import { Failure, Loaded } from '../parts/states.tsx';

const kinds = ['key'];

export function KeysPanel() {
  const [isShown, setShown] = useState(false);
  const [isRotating, setRotating] = useState(false);
  return (
    <Panel
      title="Signing keys"
      aside={
        <span className="flex gap-2">
          <Button onClick={() => setShown(!isShown)}>{isShown ? 'Hide' : 'Show'}</Button>
          <Action needs="admin" onClick={() => setRotating(true)}>
            Rotate…
          </Action>
        </span>
      }
    >
      {isShown ? (
        <Keys />
      ) : (
        <p className="p-3 text-muted">
          Receivers check deliveries with the current key, and during a rotation with the next one.
        </p>
      )}
      {isRotating && <RotateDialog close={() => setRotating(false)} />}
    </Panel>
  );
}

function Keys() {
  const keys = useQuery({ queryKey: kinds, queryFn: () => ask(api.GET('/v2/keys')) });
  const shown = (key: string) => (
    <span className="inline-flex items-center gap-1">
      <code className="font-mono text-xs break-all">{key}</code>
      <CopyButton text={key} />
    </span>
  );
  return (
    <Loaded query={keys} lines={2}>
      {({ current, next }) => <Facts of={{ Current: shown(current), Next: shown(next) }} />}
    </Loaded>
  );
}

function RotateDialog({ close }: { readonly close: () => void }) {
  const rotate = useChange(() => ask(api.POST('/v2/keys/rotate')), kinds, close);
  return (
    <Dialog title="Rotate the signing keys?" close={close}>
      <p className="mb-3">
        The next key becomes the current one, and a new one is made. Receivers that only know the
        current key of today refuse deliveries from then on.
      </p>
      {rotate.error !== null && <Failure error={rotate.error} />}
      <Action needs="admin" look="main" onClick={() => rotate.mutate(undefined)}>
        Rotate
      </Action>
    </Dialog>
  );
}
