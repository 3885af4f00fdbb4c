before = 0;
            for (uint tries = 0; tries < 1000; tries++) {
                if (@take@) continue;
                if (atomic_inc(@owner@) != 0) before = 1;
                atomic_dec(@owner@);
                @give@;
                break;
            }
