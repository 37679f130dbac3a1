import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** The way to a first agent, where a list is empty. */
export function ConnectButton() {
  return <Button renderRoot={(props) => <Link to="/start" {...props} />}>Connect an agent</Button>;
}
