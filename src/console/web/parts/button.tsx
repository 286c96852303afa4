/**
 * Buttons. One that changes something knows the right that it needs, and explains why it is
 * disabled.
 */
import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { type Need, useMay } from '../api/session.ts';

type Look = 'plain' | 'main' | 'danger';

const looks: Readonly<Record<Look, string>> = {
  plain: 'border-line bg-surface text-ink hover:bg-raised',
  main: 'border-accent-fill bg-accent-fill text-on-fill hover:opacity-90',
  danger: 'border-line bg-surface text-bad hover:bg-bad-tint',
};

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & {
  readonly look?: Look;
  readonly icon?: ReactNode;
  /** For a row of a table. */
  readonly isSmall?: boolean;
  /** On a phone, only its icon is shown. */
  readonly isIconOnPhone?: boolean;
};

/**
 * A button that changes nothing; `Action` is for those that do. A disabled one keeps the focus,
 * which the browser would take from it: its change may take only a moment.
 */
export function Button({
  look = 'plain',
  icon,
  isSmall,
  isIconOnPhone,
  disabled,
  onClick,
  children,
  ...props
}: ButtonProps) {
  const isOff = disabled === true;
  return (
    <button
      type="button"
      {...props}
      aria-disabled={isOff ? true : undefined}
      // Otherwise one that submits a form would submit it.
      onClick={isOff ? (event) => event.preventDefault() : onClick}
      className={`inline-flex items-center gap-1.5 rounded-md border font-medium whitespace-nowrap aria-disabled:opacity-60 ${looks[look]} ${isSmall === true ? 'min-h-7 px-2' : 'min-h-8 px-2.5 py-1'}`}
    >
      {icon}
      {isIconOnPhone === true ? <span className="max-sm:sr-only">{children}</span> : children}
    </button>
  );
}

type ActionProps = ButtonProps & { readonly needs?: Need };

/**
 * A button that changes something; if the token may not do that, it is disabled and says so. The
 * second click of a double click does not count: the first may have brought another row under the
 * mouse.
 */
export function Action({ needs = 'operate', disabled, title, onClick, ...props }: ActionProps) {
  const click = (event: MouseEvent<HTMLButtonElement>) => {
    if (event.detail > 1) event.preventDefault();
    else onClick?.(event);
  };
  const may = useMay(needs);
  const why = needs === 'admin' ? 'needs a token with the role admin' : 'this token may only read';
  return (
    <Button
      {...props}
      disabled={disabled === true || !may}
      title={may ? title : `No: ${why}`}
      onClick={click}
    />
  );
}
