import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';

/** Opens the command palette. */
export function PaletteButton() {
  return (
    <>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={<kbd className="dim">Ctrl K</kbd>}
        onClick={spotlight.open}
      >
        Search
      </Button>
      <Tooltip label="Search">
        <ActionIcon
          hiddenFrom="sm"
          variant="subtle"
          color="gray"
          size="lg"
          aria-label="Search"
          onClick={spotlight.open}
        >
          <IconSearch size={18} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
