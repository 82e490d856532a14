// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice One reentrancy lock for all facets of a diamond, in transient storage (EIP-1153).
/// @dev The slot is frozen: facets of different releases meet in one diamond and must share it.
library LibLock {
    /// @dev ERC-7201 slot of "carat.lock".
    bytes32 internal constant SLOT = 0x2e8193f1bc6c923879c6413dd0207bf644d6b441752c93f0c228b0791240d000;

    /// @notice The diamond is already inside a state-changing call of this transaction.
    error Reentrant();

    /// @notice Takes the lock; reverts if it is taken already.
    function acquire() internal {
        bool taken;
        assembly ("memory-safe") {
            taken := tload(SLOT)
        }
        if (taken) revert Reentrant();
        assembly ("memory-safe") {
            tstore(SLOT, 1)
        }
    }

    /// @notice Releases the lock, so that the same transaction may call again.
    function release() internal {
        assembly ("memory-safe") {
            tstore(SLOT, 0)
        }
    }
}
