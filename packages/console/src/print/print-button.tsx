import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';

/** Prints the screen as it is: what is shortened or hidden on it is whole on paper. */
export function PrintButton() {
  return (
    <Button variant="default" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
      Print
    </Button>
  );
}
