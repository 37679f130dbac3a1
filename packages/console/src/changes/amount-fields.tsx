import { Checkbox, NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

/** A number or none that a dialog asks for: `current` at first, `usual` if there was none. */
export function useAmount(current: number | null, usual: number | '', isPossible: (value: number) => boolean) {
  // Who opens the dialog wants an amount; to have none is to take the tick away.
  const [limited, setLimited] = useState(true);
  const [entered, setEntered] = useState<number | string>(current ?? usual);
  const reset = () => {
    setLimited(true);
    setEntered(current ?? usual);
  };
  const value = toAmount(entered);
  const isNumber = !Number.isNaN(value);
  const ready = !limited || (isNumber && isPossible(value));
  return { limited, setLimited, entered, setEntered, reset, ready, next: limited && isNumber ? value : null };
}

/** What a field holds, which is text while decimals are typed; NaN if it is empty. */
export const toAmount = (entered: number | string): number => (entered === '' ? Number.NaN : Number(entered));

/** A comma is as good as a point; thousands are not told apart, so none is taken for the other. */
export const AmountInput = (props: NumberInputProps) => (
  <NumberInput hideControls allowedDecimalSeparators={['.', ',']} {...props} />
);

interface AmountFieldsProps extends NumberInputProps {
  amount: ReturnType<typeof useAmount>;
  question: string;
}

export function AmountFields({ amount, question, ...input }: AmountFieldsProps) {
  return (
    <>
      <Checkbox
        label={question}
        checked={amount.limited}
        onChange={(event) => amount.setLimited(event.currentTarget.checked)}
      />
      {amount.limited && (
        <AmountInput {...input} value={amount.entered} onChange={amount.setEntered} required data-autofocus />
      )}
    </>
  );
}
