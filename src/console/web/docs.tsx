/** The entry point of the API reference in the browser: a page beside the console. */
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/queries.ts';
import { ReferencePage } from './reference/reference-page.tsx';
import './theme.css';

const place = document.getElementById('docs');
if (place !== null) {
  place.replaceChildren();
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queryClient()}>
        <ReferencePage />
      </QueryClientProvider>
    </StrictMode>,
  );
}
