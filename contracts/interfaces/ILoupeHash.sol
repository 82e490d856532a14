// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What a cut that expects a certain state of the diamond is compared with. Since release 1.1.0.
interface ILoupeHash {
    /// @notice Hash of all facets with their selectors, as `diamondCutChecked` expects it.
    /// @return Keccak-256 of the ABI encoding of what `facets()` returns.
    function loupeHash() external view returns (bytes32);
}
