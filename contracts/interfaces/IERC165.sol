// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Interface detection (ERC-165).
interface IERC165 {
    /// @notice True for the interface ids that the contract implements, false for 0xffffffff.
    /// @param interfaceId XOR of the selectors of the interface.
    /// @return Whether it is implemented.
    function supportsInterface(bytes4 interfaceId) external view returns (bool);
}
