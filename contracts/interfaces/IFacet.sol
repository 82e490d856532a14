// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What every facet tells about itself when asked at its own address.
/// @dev Never selectors of a diamond: they are the same in every facet and so would clash.
interface IFacet {
    /// @notice The selectors a diamond takes from this facet (the idea of ERC-8153).
    /// @return selectors In the order in which they are added.
    function exportSelectors() external pure returns (bytes4[] memory selectors);

    /// @notice Name of the facet in the release manifest.
    /// @return Such as `DealFacet`.
    function facetName() external pure returns (string memory);

    /// @notice Version label; identity is the code hash, this is for people.
    /// @return Such as `1.0.0`.
    function facetVersion() external pure returns (string memory);
}
