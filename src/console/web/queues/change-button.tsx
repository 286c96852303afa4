/** The button in a row that opens the dialog in which what the row shows is changed. */
import { Pencil } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../parts/button.tsx';

/** `dialog` gets the function that closes it. */
export function ChangeButton({
  name,
  dialog,
}: {
  readonly name: string;
  readonly dialog: (close: () => void) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        isSmall
        isIconOnPhone
        icon={<Pencil className="size-3.5 sm:hidden" />}
        aria-label={`Change ${name}`}
        onClick={() => setOpen(true)}
      >
        Change…
      </Button>
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}
