import { Button } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { EmptyState, FailureNotice } from '../components/feedback.tsx';

/** A screen that broke: the rest of the page stays usable. */
export function ScreenFault({ error }: { error: Error }) {
  const router = useRouter();
  return <FailureNotice error={error} retry={() => router.invalidate()} />;
}

export function UnknownPlace() {
  return (
    <EmptyState
      title="There is no such page"
      action={
        <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
          To what happens now
        </Button>
      }
    >
      The address is mistyped, or it belongs to another version.
    </EmptyState>
  );
}
