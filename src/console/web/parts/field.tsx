/** What is typed into forms: a label, and below it a place to type. */
import { type ComponentProps, useId, useState } from 'react';

const classes =
  'w-full rounded-md border border-control bg-surface px-2 py-1.5 placeholder:text-muted';

type Labelled<Element extends 'input' | 'textarea' | 'select'> = Omit<
  ComponentProps<Element>,
  'className' | 'id'
> & { readonly label: string; readonly hint?: string };

function Labels({ id, label, hint }: { id: string; label: string; hint: string | undefined }) {
  return (
    <label htmlFor={id} className="mb-1 block font-medium">
      {label}
      {hint !== undefined && <span className="ml-2 font-normal text-muted">{hint}</span>}
    </label>
  );
}

/** One line; `hint` stands beside the label. */
export function TextField({ label, hint, ...props }: Labelled<'input'>) {
  const id = useId();
  return (
    <div className="mb-3">
      <Labels {...{ id, label, hint }} />
      <input id={id} {...props} className={`h-8 ${classes}`} />
    </div>
  );
}

/** Several lines, in the type of code. */
export function TextArea({ label, hint, ...props }: Labelled<'textarea'>) {
  const id = useId();
  return (
    <div className="mb-3">
      <Labels {...{ id, label, hint }} />
      <textarea id={id} rows={5} {...props} className={`font-mono text-xs ${classes}`} />
    </div>
  );
}

/** One of some; its options are its children. */
export function Choice({ label, hint, ...props }: Labelled<'select'>) {
  const id = useId();
  return (
    <div className="mb-3">
      <Labels {...{ id, label, hint }} />
      <select id={id} {...props} className={`h-8 ${classes}`} />
    </div>
  );
}

/** What is typed into the fields of a draft: all of it, and the properties of each field. */
export function useFields<Draft extends { readonly [Name in keyof Draft]: string }>(draft: Draft) {
  const [typed, setTyped] = useState(draft);
  const field = <Name extends keyof Draft>(name: Name): FieldProps => ({
    value: typed[name],
    onChange: (event) => setTyped({ ...typed, [name]: event.target.value }),
  });
  return { typed, field };
}

/** What a field shows, and what it does when something is typed. */
interface FieldProps {
  readonly value: string;
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
}
