// Keeps a failure to draw one feature inside that feature: the rest of the workbench goes on.
import { Component, type ReactNode } from 'react'
import { ErrorNotice } from './ErrorNotice.tsx'

interface ErrorBoundaryProps {
  /** How the message calls the feature, as the start of a sentence. */
  name: string
  children: ReactNode
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    return (
      <div className="boundary">
        <p>{this.props.name} could not be drawn.</p>
        <ErrorNotice error={this.state.error} onRetry={() => this.setState({ error: null })} />
      </div>
    )
  }
}
