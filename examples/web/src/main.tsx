import './app.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

const element = document.getElementById('app');
if (element !== null) createRoot(element).render(<App />);
