import { Component, type ReactNode } from 'react';
import { FailureNotice } from './failure-notice.tsx';

interface Props {
  children: ReactNode;
}

/** Keeps the fault of one part, such as a chart that cannot be loaded, from taking the rest of its screen along. */
export class FaultBoundary extends Component<Props, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return <FailureNotice error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
