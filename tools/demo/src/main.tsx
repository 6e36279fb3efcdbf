import { render } from 'preact';
import { App } from './app.tsx';
import './style/index.css';

const root = document.getElementById('root');
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
